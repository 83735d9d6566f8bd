//! What is below a group: found by name, and opened a few nodes at a time.

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

/// What stands below a group under a name: a node, or the reason why it cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct Child {
    /// Its name.
    pub name: String,
    /// Its path in the hierarchy, without a slash in front.
    pub path: String,
    /// The node. An error does not hide its siblings.
    pub node: Result<Node>,
}

/// How many siblings are opened at a time, and how long their documents may be together: parsed, a document takes many
/// times its length. One is always opened, however long it is.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    nodes: usize,
    bytes: u64,
}

impl Ahead {
    /// Less at each level, so that all levels of a walk together have no more than twice the first.
    fn at(depth: usize) -> Self {
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        Self {
            nodes: 128usize.checked_shr(depth).unwrap_or(0).max(4),
            bytes: (1u64 << 20).checked_shr(depth).unwrap_or(0),
        }
    }
}

/// The nodes directly below a group, of which a few are open.
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
        // Without an executor that runs what it is given there would be no end.
        let failed = opened.err().map(|e| child(&self.group, &names[0], Err(e)));
        // What comes after the first that was too much is opened again: it is not kept meanwhile.
        let some: Vec<Child> = match failed {
            Some(child) => vec![child],
            None => some.into_iter().map_while(|(_, child)| child).collect(),
        };
        for _ in &some {
            self.names.next();
        }
        self.opened = some.into_iter().peekable();
    }
    /// `None`: its document is too much for now.
    fn open(&self, name: &str, admit: &dyn Fn(u64) -> bool) -> Option<Child> {
        let at = check_node_name(name).and_then(|()| self.group.child(name));
        let node = match at.and_then(|at| self.node_if(&at, admit)) {
            Ok(node) => Ok(node?),
            Err(e) if matches!(e.kind(), ErrorKind::NodeNotFound) => {
                Err(e.with_hint("a prefix without `zarr.json` is not a node"))
            }
            Err(e) => Err(e),
        };
        Some(child(&self.group, name, node))
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

/// The groups on the way to a node, each with the URI of what is stored below it.
#[derive(Debug, Default)]
struct Way(Vec<(NodePath, String)>);

impl Way {
    /// All groups from the root down to one. None where what is below comes from copies: they end somewhere.
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
    /// Refuses a group that is one of those on the way to it: a link leads back, and what is below has no end. Gives the
    /// group's own URI.
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

/// The children of a group, sorted by name. They are opened a few at a time, on several threads, so that however many
/// there are only few are in memory. A link that leads back to a group above is there with its error.
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

/// All that is below a group, parents before their children, siblings sorted by name; few are in memory at a time. What
/// cannot be opened is there with its error, and so is a link that leads back to a group above; neither is entered. An error
/// stands for what is below the group before it, which cannot be listed.
#[derive(Debug)]
pub struct Walk {
    hierarchy: Hierarchy,
    levels: Vec<Siblings>,
    way: Way,
    /// The group that was found last, which is entered next.
    enter: Option<NodePath>,
}

impl Walk {
    fn of(hierarchy: &Hierarchy, group: &NodePath) -> Self {
        let way = Way::to(hierarchy, group);
        Self { hierarchy: hierarchy.clone(), levels: Vec::new(), way, enter: Some(group.clone()) }
    }
    /// How far below the group that the walk began at what was found last is: 1 for a child of it.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }
    /// How many siblings of what was found last are still to come.
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
    /// The arrays directly below, sorted by name.
    ///
    /// # Errors
    /// As [`children`](Self::children); each that cannot be opened is an error of its own.
    pub fn arrays(&self) -> Result<impl Iterator<Item = Result<Array>>> {
        Ok(self.children()?.filter_map(|child| match child.node {
            Ok(Node::Array(array)) => Some(Ok(*array)),
            Ok(Node::Group(_)) => None,
            Err(e) => Some(Err(e)),
        }))
    }
    /// The groups directly below, sorted by name.
    ///
    /// # Errors
    /// As [`children`](Self::children); what cannot be opened is an error of its own.
    pub fn groups(&self) -> Result<impl Iterator<Item = Result<Group>>> {
        Ok(self.children()?.filter_map(|child| match child.node {
            Ok(Node::Group(group)) => Some(Ok(group)),
            Ok(Node::Array(_)) => None,
            Err(e) => Some(Err(e)),
        }))
    }
    /// What is directly below, sorted by name. Prefixes without a metadata document and nodes that cannot be opened
    /// are there with their error.
    ///
    /// # Errors
    /// When the store cannot list, and the groups above have no copies of metadata.
    pub fn children(&self) -> Result<Children> {
        Children::of(self.hierarchy(), self.path())
    }
    /// All that is below, parents before their children.
    pub fn walk(&self) -> Walk {
        Walk::of(self.hierarchy(), self.path())
    }
}
