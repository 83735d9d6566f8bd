//! Nodes as text: an array as one line, a group or a hierarchy as a tree.

use crate::{
    array::Array,
    group::{Group, Node},
    hierarchy::Hierarchy,
    text::{escaped, name, shown},
    walk::Child,
};
use std::fmt::{self, Display, Formatter, Write};
use zarr_core::{extension::Extension, name::NodePath};

/// Displays the nodes below a group as a tree, one per line. Created by [`Group::tree`].
#[derive(Debug, Clone, Copy)]
pub struct Tree<'g>(&'g Group);

impl Group {
    /// Returns the nodes below as a tree, which opens them when it is written.
    ///
    /// A node that cannot be opened is shown with the reason.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::new([4, 6], "float32").codecs(["bytes"]))?;
    /// hierarchy.create_group("/wind", ())?;
    /// assert_eq!(hierarchy.to_string(), "\
    /// /
    /// ├── ocean/
    /// │   └── salt [4, 6] float32, chunks [4, 6], bytes
    /// └── wind/
    /// ");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn tree(&self) -> Tree<'_> {
        Tree(self)
    }
}

impl Tree<'_> {
    /// Writes the tree, and returns the number of nodes that could not be opened or listed.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/salt", NewArray::of::<f32>([4, 6]).codecs(["bytes"]))?;
    /// let mut text = String::new();
    /// let broken = hierarchy.group("/")?.tree().write(&mut text)?;
    /// assert_eq!(text, "└── salt [4, 6] float32, chunks [4, 6], bytes\n");
    /// assert_eq!(broken, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> Result<u64, fmt::Error> {
        // The text before the name of a node, at each depth.
        let (mut walk, mut indent, mut lengths, mut broken) = (self.0.walk(), String::new(), Vec::new(), 0);
        while let Some(child) = walk.next() {
            let depth = if child.is_ok() { walk.depth() } else { walk.depth() + 1 };
            lengths.truncate(depth);
            lengths.resize(depth, indent.len());
            indent.truncate(lengths[depth - 1]);
            let is_last = child.is_err() || walk.siblings_left() == 0;
            let (branch, space) = if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
            broken += u64::from(child.as_ref().map_or(true, |child| child.node.is_err()));
            let text = match &child {
                Ok(Child { name: own, node: Ok(node), .. }) => line(own, node),
                Ok(Child { name: own, node: Err(e), .. }) => format!("{} (cannot be opened: {e})", name(own)),
                Err(e) => format!("(cannot be listed: {e})"),
            };
            writeln!(out, "{indent}{branch}{}", shown(&text))?;
            indent.push_str(space);
        }
        Ok(broken)
    }
}

/// Returns a node as one line, under a name.
fn line(own: &str, node: &Node) -> String {
    match node {
        Node::Group(_) => format!("{}/", name(own)),
        Node::Array(array) => format!("{} {array}", name(own)),
    }
}

impl Display for Tree<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f).map(drop)
    }
}

/// Displays the tree of all nodes, or the reason if the root cannot be opened.
impl Display for Hierarchy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.node_at(&NodePath::ROOT) {
            Ok(Node::Array(array)) => writeln!(f, "/ {array}"),
            Ok(Node::Group(group)) => write!(f, "{group}"),
            Err(e) => writeln!(f, "{}", shown(&format!("/ (cannot be opened: {e})"))),
        }
    }
}

/// Displays the path, and the tree of the nodes below.
impl Display for Group {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = self.path().to_string();
        let slash = if self.path().is_root() { "" } else { "/" };
        writeln!(f, "{}{slash}", shown(&path))?;
        self.tree().fmt(f)
    }
}

/// Displays shape, data type, chunks and codecs in one line. Inner codecs of shards are in parentheses.
impl Display for Array {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let metadata = self.metadata();
        write!(f, "{:?} {}, ", self.shape(), escaped(&name(metadata.data_type().name())))?;
        match (self.chunk_shape(), self.inner_chunk_shape()) {
            (Some(shard), Some(inner)) => write!(f, "chunks {inner:?} in shards {shard:?}")?,
            (Some(chunk), None) => write!(f, "chunks {chunk:?}")?,
            (None, _) => write!(f, "grid {}", escaped(&name(metadata.chunk_grid().name())))?,
        }
        f.write_char(',')?;
        self.codecs().iter().try_for_each(|codec| write!(f, " {}", WithInner(codec)))
    }
}

/// The name of a codec, with the names of its inner codecs in parentheses.
struct WithInner<'c>(&'c Extension);

impl Display for WithInner<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&name(self.0.name())))?;
        let codecs = self.0.configuration().and_then(|configuration| configuration.get("codecs")?.as_array());
        let codecs: Vec<Extension> = codecs.unwrap_or_default().iter().flat_map(Extension::parse).collect();
        let Some((first, others)) = codecs.split_first() else { return Ok(()) };
        write!(f, "({}", WithInner(first))?;
        others.iter().try_for_each(|codec| write!(f, " {}", WithInner(codec)))?;
        f.write_char(')')
    }
}
