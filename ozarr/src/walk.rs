//! The nodes below a group: found by name, and opened a few at a time.

use crate::{
    array::Array,
    group::{Group, Node},
    hierarchy::Hierarchy,
};
use std::{
    iter::Peekable,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    vec,
};
use zarr_core::{
    Error, ErrorKind, Result,
    name::{NodePath, check_node_name},
    store::Prefix,
};

/// An entry directly below a group: a node, or the reason why it cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct Child {
    /// The name in its group.
    pub name: String,
    /// The path in the hierarchy, without a leading slash.
    pub path: String,
    /// The node, or the error of opening it. An error does not hide the siblings.
    pub node: Result<Node>,
}

/// The maximum number of siblings that are opened at a time, and the maximum total length of their documents, as a
/// parsed document takes many times its length. One sibling is always opened, however long its document is.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    nodes: usize,
    bytes: u64,
}

impl Ahead {
    /// Smaller at each level, so that all levels of a walk together have at most twice the first.
    fn at(depth: usize) -> Self {
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        Self {
            nodes: 128usize.checked_shr(depth).unwrap_or(0).max(4),
            bytes: (1u64 << 20).checked_shr(depth).unwrap_or(0),
        }
    }
}

/// The nodes directly below a group, a few of which are open.
#[derive(Debug)]
struct Siblings {
    hierarchy: Hierarchy,
    group: NodePath,
    names: vec::IntoIter<String>,
    opened: Peekable<vec::IntoIter<Child>>,
    /// Entries that cannot be nodes, each with its error.
    unusable: Peekable<vec::IntoIter<Child>>,
    ahead: Ahead,
}

impl Siblings {
    fn of(hierarchy: &Hierarchy, group: &NodePath, ahead: Ahead) -> Result<Self> {
        let nodes = hierarchy.nodes();
        let (entries, prefix) = (nodes.entries(group)?, Prefix::of(group));
        let unusable = entries.others.into_iter().filter_map(|(entry, other)| {
            let e = nodes.unusable(&entry, other)?;
            Some(child(group, entry.strip_prefix(prefix.as_str()).unwrap_or(&entry), Err(e)))
        });
        let unusable: Vec<Child> = unusable.collect();
        Ok(Self {
            hierarchy: hierarchy.clone(),
            group: group.clone(),
            names: entries.names.into_iter(),
            opened: Vec::new().into_iter().peekable(),
            unusable: unusable.into_iter().peekable(),
            ahead,
        })
    }
    fn len(&self) -> usize {
        self.names.len() + self.opened.len() + self.unusable.len()
    }
    fn next(&mut self) -> Option<Child> {
        if self.opened.len() == 0 {
            self.open_some();
        }
        match (self.opened.peek(), self.unusable.peek()) {
            (Some(node), Some(other)) if other.name < node.name => self.unusable.next(),
            (None, _) => self.unusable.next(),
            _ => self.opened.next(),
        }
    }
    /// Opens the next siblings, on several threads.
    fn open_some(&mut self) {
        let names = self.names.as_slice();
        let mut some: Vec<_> = names.iter().take(self.ahead.nodes).map(|name| (name, None)).collect();
        let (asked, most) = (AtomicU64::new(0), self.ahead.bytes);
        let opened = self.hierarchy.context().call().each_mut(&mut some, 0, &|i, (name, child)| {
            let admit = |size: u64| asked.fetch_add(size, Relaxed).saturating_add(size) <= most || i == 0;
            *child = self.open(name, &admit);
            Ok(())
        });
        // The error of the executor becomes a child, as the iterator would otherwise never end.
        let failed = opened.err().map(|e| child(&self.group, &names[0], Err(e)));
        // Siblings after the first one whose document was too much are opened again later, so that they need no memory
        // until then.
        let some: Vec<Child> = match failed {
            Some(child) => vec![child],
            None => some.into_iter().map_while(|(_, child)| child).collect(),
        };
        for _ in &some {
            self.names.next();
        }
        self.opened = some.into_iter().peekable();
    }
    /// Returns `None` if the document is too much for now.
    fn open(&self, name: &str, admit: &dyn Fn(u64) -> bool) -> Option<Child> {
        let at = check_node_name(name).and_then(|()| self.group.child(name));
        let opened = at.and_then(|at| {
            self.node_if(&at, admit).map_err(|e| match e.kind() {
                ErrorKind::NodeNotFound => self
                    .hierarchy
                    .with_v2_hint(&at, e)
                    .with_hint("create a group here or remove the keys below this prefix"),
                _ => e,
            })
        });
        Some(child(&self.group, name, opened.transpose()?))
    }
    fn node_if(&self, path: &NodePath, admit: &dyn Fn(u64) -> bool) -> Result<Option<Node>> {
        let metadata = self.hierarchy.nodes().metadata_if(path, admit)?;
        metadata.map(|m| Node::of(&self.hierarchy, path, m)).transpose()
    }
}

fn child(group: &NodePath, name: &str, node: Result<Node>) -> Child {
    let path = if group.is_root() { name.to_owned() } else { format!("{}/{name}", group.as_key()) };
    Child { name: name.to_owned(), path, node }
}

/// The groups from the root to a node, each with the URI of its prefix.
#[derive(Debug, Default)]
struct Way(Vec<(NodePath, String)>);

impl Way {
    /// Returns all groups from the root to `group`. Empty if nodes come from copies, which cannot form a loop.
    fn to(hierarchy: &Hierarchy, group: &NodePath) -> Self {
        let mut all = Vec::new();
        let mut at = (!hierarchy.nodes().is_consolidated()).then(|| group.clone());
        while let Some(group) = at {
            at = group.parent();
            let uri = hierarchy.nodes().uri(&group);
            all.push((group, uri));
        }
        all.reverse();
        Self(all)
    }
    /// Replaces a group by an error if its URI is that of a group above: a link forms a loop, so there is no end to
    /// what is below. Otherwise returns the group's own path and URI.
    fn check(&self, hierarchy: &Hierarchy, child: &mut Child) -> Option<(NodePath, String)> {
        let (false, Ok(Node::Group(group))) = (self.0.is_empty(), &child.node) else { return None };
        let (path, uri) = (group.path().clone(), hierarchy.nodes().uri(group.path()));
        match self.0.iter().find(|(_, above)| *above == uri) {
            None => Some((path, uri)),
            Some((above, _)) => {
                let e = Error::new(ErrorKind::Loop(above.to_string())).at_node(&path);
                child.node = Err(e.with_hint("remove the link"));
                None
            }
        }
    }
}

/// An iterator over the children of a group, sorted by name. Created by [`Group::children`].
///
/// Children are opened a few at a time, on several threads, so only few are in memory even if there are many. A link
/// that leads back to a group above is a child whose node is an error.
#[derive(Debug)]
pub struct Children {
    siblings: Siblings,
    way: Way,
}

impl Children {
    fn of(hierarchy: &Hierarchy, group: &NodePath) -> Result<Self> {
        let siblings = Siblings::of(hierarchy, group, Ahead::at(0))?;
        Ok(Self { siblings, way: Way::to(hierarchy, group) })
    }
}

impl Iterator for Children {
    type Item = Child;
    fn next(&mut self) -> Option<Child> {
        let mut child = self.siblings.next()?;
        self.way.check(&self.siblings.hierarchy, &mut child);
        Some(child)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.siblings.len(), Some(self.siblings.len()))
    }
}
impl ExactSizeIterator for Children {}

/// An iterator over all nodes below a group, each parent before its children, siblings sorted by name. Created by
/// [`Group::walk`].
///
/// Only few nodes are in memory at a time. A node that cannot be opened is an `Ok` item whose [`node`](Child::node) is
/// an error, as is a link that leads back to a group above; the walk does not enter either. An `Err` item means that
/// the group returned just before it (or the group at which the walk began) cannot be listed. The walk then goes on
/// with the next sibling of that group.
#[derive(Debug)]
pub struct Walk {
    hierarchy: Hierarchy,
    levels: Vec<Siblings>,
    way: Way,
    /// The last group returned, which is entered next.
    enter: Option<NodePath>,
}

impl Walk {
    fn of(hierarchy: &Hierarchy, group: &NodePath) -> Self {
        let way = Way::to(hierarchy, group);
        Self { hierarchy: hierarchy.clone(), levels: Vec::new(), way, enter: Some(group.clone()) }
    }
    /// Returns the depth of the last item below the group at which the walk began: 1 for a direct child.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// let (mut walk, mut lines) = (hierarchy.group("/")?.walk(), Vec::new());
    /// while let Some(child) = walk.next() {
    ///     lines.push(format!("{}{}", "  ".repeat(walk.depth()), child?.name));
    /// }
    /// assert_eq!(lines, ["  ocean", "    salt"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn depth(&self) -> usize {
        self.levels.len()
    }
    /// Returns how many siblings of the last item are still to come.
    ///
    /// ```
    /// use ozarr::Hierarchy;
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// for path in ["/a", "/b", "/c"] {
    ///     hierarchy.create_group(path, ())?;
    /// }
    /// let mut walk = hierarchy.group("/")?.walk();
    /// assert!(walk.next().is_some_and(|child| child.is_ok()));
    /// assert_eq!(walk.siblings_left(), 2);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn siblings_left(&self) -> usize {
        self.levels.last().map_or(0, Siblings::len)
    }
}

impl Iterator for Walk {
    type Item = Result<Child>;
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(group) = self.enter.take() {
            match Siblings::of(&self.hierarchy, &group, Ahead::at(self.levels.len())) {
                Ok(siblings) => self.levels.push(siblings),
                Err(e) => {
                    self.leave();
                    return Some(Err(e.at_node(&group)));
                }
            }
        }
        while let Some(level) = self.levels.last_mut() {
            if let Some(mut child) = level.next() {
                if let Ok(Node::Group(group)) = &child.node {
                    self.enter = Some(group.path().clone());
                }
                match self.way.check(&self.hierarchy, &mut child) {
                    Some(group) => self.way.0.push(group),
                    None if child.node.is_err() => self.enter = None,
                    None => {}
                }
                return Some(Ok(child));
            }
            self.levels.pop();
            self.leave();
        }
        None
    }
}

impl Walk {
    fn leave(&mut self) {
        self.way.0.pop();
    }
}

impl Group {
    /// Returns the arrays directly below, sorted by name.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/rain", NewArray::of::<f32>([4, 6]))?;
    /// hierarchy.create_array("/wind", NewArray::of::<f32>([4, 6, 2]))?;
    /// hierarchy.create_group("/ocean", ())?;
    /// for array in hierarchy.group("/")?.arrays()? {
    ///     assert_eq!(array?.shape()[..2], [4, 6]);
    /// }
    /// assert_eq!(hierarchy.group("/")?.arrays()?.count(), 2);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`children`](Self::children). Each entry that cannot be opened is an error in the iterator.
    pub fn arrays(&self) -> Result<impl Iterator<Item = Result<Array>>> {
        Ok(self.children()?.filter_map(|child| match child.node {
            Ok(Node::Array(array)) => Some(Ok(*array)),
            Ok(Node::Group(_)) => None,
            Err(e) => Some(Err(e)),
        }))
    }
    /// Returns the groups directly below, sorted by name.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/rain", NewArray::of::<f32>([4, 6]))?;
    /// hierarchy.create_group("/ocean", ())?;
    /// let groups: Vec<_> = hierarchy.group("/")?.groups()?.collect::<ozarr::Result<_>>()?;
    /// assert_eq!(groups.len(), 1);
    /// assert_eq!(groups[0].path().name(), "ocean");
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`children`](Self::children). Each entry that cannot be opened is an error in the iterator.
    pub fn groups(&self) -> Result<impl Iterator<Item = Result<Group>>> {
        Ok(self.children()?.filter_map(|child| match child.node {
            Ok(Node::Group(group)) => Some(Ok(group)),
            Ok(Node::Array(_)) => None,
            Err(e) => Some(Err(e)),
        }))
    }
    /// Returns everything directly below, sorted by name.
    ///
    /// Prefixes without a metadata document and nodes that cannot be opened are children whose node is an error.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/rain", NewArray::of::<f32>([4, 6]))?;
    /// hierarchy.create_group("/ocean", ())?;
    /// let children = hierarchy.group("/")?.children()?;
    /// let names: Vec<String> = children.filter(|child| child.node.is_ok()).map(|child| child.name).collect();
    /// assert_eq!(names, ["ocean", "rain"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the store cannot list its keys and no group from this one upwards has copies of metadata.
    pub fn children(&self) -> Result<Children> {
        Children::of(self.hierarchy(), self.path())
    }
    /// Returns everything below, each parent before its children.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let hierarchy = Hierarchy::in_memory();
    /// hierarchy.create_array("/ocean/salt", NewArray::of::<f32>([4, 6]))?;
    /// hierarchy.create_group("/wind", ())?;
    /// let paths = hierarchy.group("/")?.walk().map(|child| Ok(child?.path));
    /// assert_eq!(paths.collect::<ozarr::Result<Vec<_>>>()?, ["ocean", "ocean/salt", "wind"]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn walk(&self) -> Walk {
        Walk::of(self.hierarchy(), self.path())
    }
}
