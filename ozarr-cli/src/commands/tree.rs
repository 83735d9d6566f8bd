//! `ozarr tree`: shows the nodes of a hierarchy, including those that cannot be opened.

use super::Outcome;
use crate::{
    args::Node as Args,
    location::Location,
    output::{count, name, print, print_lines, print_status, put, shown},
};
use ozarr::{
    Child, Context, Node, Result,
    zarr_core::json::{Json, Object},
};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::read(&args.location, context)?;
    let mut broken = 0u64;
    let root = at.hierarchy.node(&at.path())?;
    match (&root, args.json) {
        (_, true) => as_json(&root, &mut broken)?,
        (Node::Group(group), false) => {
            // A group that cannot be listed is an error, not a tree.
            group.names()?;
            print(&shown(&format!("{}/", name(&at.typed))))?;
            print_lines(|out| {
                broken = group.tree().write(out)?;
                Ok(())
            })?;
        }
        (Node::Array(array), false) => print(&shown(&format!("{} {array}", name(&at.typed))))?,
    }
    if broken == 0 {
        return Ok(Outcome::Done);
    }
    print_status(&format!("{} cannot be opened", count(broken, "node")));
    Ok(Outcome::ProblemsFound)
}

/// Prints a node and everything below it as nested objects. They are printed as they are found, so that memory and
/// stack do not grow with the number or depth of nodes.
fn as_json(root: &Node, broken: &mut u64) -> Result<()> {
    let mut out = Tree::default();
    out.node(&members("", root), matches!(root, Node::Group(_)))?;
    if let Node::Group(group) = root {
        let mut walk = group.walk();
        while let Some(child) = walk.next() {
            match child {
                Ok(Child { name, node: Ok(node), .. }) => {
                    out.close(walk.depth())?;
                    out.node(&members(&name, &node), matches!(node, Node::Group(_)))?;
                }
                Ok(Child { name, node: Err(e), .. }) => {
                    *broken += 1;
                    out.close(walk.depth())?;
                    out.node(&[("name", name), ("error", e.to_string())].into_iter().collect(), false)?;
                }
                // The group itself cannot be listed.
                Err(e) if walk.depth() == 0 => return Err(e),
                Err(e) => {
                    *broken += 1;
                    out.close(walk.depth() + 1)?;
                    out.fail(e.to_string());
                }
            }
        }
    }
    out.close(0)?;
    print("")
}

/// Returns the printed members of a node.
fn members(name: &str, node: &Node) -> Object {
    let mut o: Object = [("name", name)].into_iter().collect();
    o.set("path", node.path().to_string());
    match node {
        Node::Group(_) => o.set("node_type", "group"),
        Node::Array(array) => {
            o.set("node_type", "array");
            o.set("shape", array.shape());
            o.set("data_type", array.metadata().data_type().to_json().clone());
            o.set("chunk_shape", array.chunk_shape().map_or(Json::Null, Json::from));
            o.set("inner_chunk_shape", array.inner_chunk_shape().map_or(Json::Null, Json::from));
            o.set("codecs", array.metadata().codecs().iter().map(|c| Json::from(c.name())).collect::<Json>());
        }
    }
    o
}

/// Prints nested objects in the form of [`Json::to_pretty`].
#[derive(Default)]
struct Tree {
    /// The groups that are still open.
    open: Vec<Open>,
}

#[derive(Default)]
struct Open {
    children: usize,
    /// Why the children are unknown.
    error: Option<String>,
}

impl Tree {
    /// Prints a node in the innermost open group. A group stays open.
    fn node(&mut self, members: &Object, is_group: bool) -> Result<()> {
        let indent = "    ".repeat(self.open.len());
        let mut text = match self.open.last_mut() {
            None => String::new(),
            Some(above) => {
                above.children += 1;
                format!("{}\n{indent}", if above.children > 1 { "," } else { "" })
            }
        };
        let object = Json::Object(members.clone()).to_pretty().replace('\n', &format!("\n{indent}"));
        match object.strip_suffix(&format!("\n{indent}}}")).filter(|_| is_group) {
            Some(open) => {
                text += &format!("{open},\n{indent}  \"children\": [");
                self.open.push(Open::default());
            }
            None => text += &object,
        }
        put(&text)
    }
    /// Records why the children of the innermost group are unknown.
    fn fail(&mut self, error: String) {
        if let Some(group) = self.open.last_mut() {
            group.error = Some(error);
        }
    }
    /// Closes groups until `depth` are open.
    fn close(&mut self, depth: usize) -> Result<()> {
        while self.open.len() > depth
            && let Some(group) = self.open.pop()
        {
            let indent = "    ".repeat(self.open.len());
            let mut text = if group.children > 0 { format!("\n{indent}  ]") } else { "]".to_owned() };
            if let Some(e) = group.error {
                text += &format!(",\n{indent}  \"error\": {}", Json::from(e));
            }
            put(&format!("{text}\n{indent}}}"))?;
        }
        Ok(())
    }
}
