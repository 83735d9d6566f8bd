//! The names of extensions and nodes, and the paths of nodes.

use crate::error::{Error, Result};
use std::{borrow::Cow, fmt};

/// True if the specification's section "Extension naming" allows a name to be registered: one lower case letter, then
/// at least one of `a-z 0-9 - _ .`.
pub fn is_registered_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_lowercase())
        && name.len() > 1
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.'))
}

/// True for a URI that may name an extension.
///
/// Older versions of the specification required URIs as names, and they are still permitted.
pub fn is_uri_name(name: &str) -> bool {
    let Some((scheme, rest)) = name.split_once(':') else { return false };
    let mut s = scheme.bytes();
    s.next().is_some_and(|b| b.is_ascii_alphabetic())
        && s.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        && !rest.is_empty()
        && rest.chars().all(|c| !c.is_whitespace() && !c.is_control())
}

/// The path of a node in its hierarchy: `/` for the root, `/a/b` below it.
///
/// Specification: section "Node names".
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct NodePath(String); // without the leading slash; empty for the root

impl NodePath {
    /// The root of the hierarchy.
    pub const ROOT: NodePath = NodePath(String::new());

    /// Parses a path. A leading slash is optional; a trailing one is not allowed.
    ///
    /// # Errors
    /// If [`check_node_name`] rejects one of its names.
    pub fn new(path: &str) -> Result<Self> {
        let inner = path.strip_prefix('/').unwrap_or(path);
        if !inner.is_empty() {
            inner.split('/').try_for_each(check_node_name)?;
        }
        Ok(Self(inner.to_owned()))
    }
    /// Returns the path of the child with this name.
    ///
    /// # Errors
    /// If [`check_node_name`] rejects the name.
    pub fn child(&self, name: &str) -> Result<Self> {
        check_node_name(name)?;
        Ok(Self(if self.is_root() { name.to_owned() } else { format!("{}/{name}", self.0) }))
    }
    /// Returns the path of a node given relative to this one, such as `a/b`.
    ///
    /// # Errors
    /// If [`check_node_name`] rejects one of the names.
    pub fn join(&self, relative: &str) -> Result<Self> {
        let relative = Self::new(relative)?;
        relative.names().try_fold(self.clone(), |at, name| at.child(name))
    }
    /// Returns the parent; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        match self.0.rsplit_once('/') {
            Some((parent, _)) => Some(Self(parent.to_owned())),
            None if self.is_root() => None,
            None => Some(Self::ROOT),
        }
    }
    /// Returns the last name of the path; empty for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
    /// True for `/`.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
    /// Returns the names of the path, from the root down.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|s| !s.is_empty())
    }
    /// Returns the path without its leading slash, as in store keys; empty for the root.
    pub fn as_key(&self) -> &str {
        &self.0
    }
    /// Returns this path relative to an ancestor (`a/b` below `/`); `None` if it is not below it.
    ///
    /// Empty for the node itself.
    pub fn relative_to(&self, ancestor: &NodePath) -> Option<&str> {
        if ancestor.is_root() {
            return Some(&self.0);
        }
        let rest = self.0.strip_prefix(&ancestor.0)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.0)
    }
}

/// Checks the name of a node.
///
/// # Errors
/// If the name is empty, contains `/` or a null character, consists only of periods, begins with `__`, or is
/// `zarr.json`.
pub fn check_node_name(name: &str) -> Result<()> {
    let reason = if name.is_empty() {
        "the name of a node must not be empty"
    } else if name.contains('/') {
        "the name of a node must not contain `/`"
    } else if name.bytes().all(|b| b == b'.') {
        "the name of a node must not consist only of periods"
    } else if name.starts_with("__") {
        "names that begin with `__` are reserved"
    } else if name == "zarr.json" {
        "`zarr.json` is reserved for metadata documents"
    } else if name.contains('\0') {
        "the name of a node must not contain a null character"
    } else {
        return Ok(());
    };
    Err(Error::name(format!("{reason}: {name:?}")))
}

/// Returns the candidate with the smallest edit distance to `name`, if it is small enough for a suggestion.
pub fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let allowed = name.len().div_ceil(3);
    let length = name.chars().count();
    // Names whose lengths differ by more cannot match. Skipping them avoids the cost of comparing a name of a megabyte.
    let may_be_near = candidates.filter(|c| length.abs_diff(c.chars().count()) <= allowed);
    may_be_near.map(|c| (edit_distance(name, c), c)).filter(|(d, _)| *d <= allowed).min().map(|(_, c)| c)
}

/// Returns the Zarr data type for a name that NumPy or C uses.
pub(crate) fn of_numpy(name: &str) -> Option<Cow<'static, str>> {
    let known = match name.strip_prefix(['<', '>', '|', '=']).unwrap_or(name) {
        "?" | "b1" | "bool_" => "bool",
        "i1" | "byte" => "int8",
        "i2" | "short" => "int16",
        "i4" => "int32",
        "i8" | "int" | "int_" | "long" => "int64",
        "u1" | "ubyte" => "uint8",
        "u2" | "ushort" => "uint16",
        "u4" => "uint32",
        "u8" | "uint" | "ulong" => "uint64",
        "f2" | "half" => "float16",
        "f4" | "single" => "float32",
        "f8" | "float" | "double" => "float64",
        "c8" | "csingle" => "complex64",
        "c16" | "complex" | "cdouble" => "complex128",
        "O" | "T" | "object" | "str" | "str_" | "unicode" => "string",
        "bytes_" => "bytes",
        "datetime64" => "numpy.datetime64",
        "timedelta64" => "numpy.timedelta64",
        other => match other.split_at_checked(1)? {
            ("U", length) if is_count(length) => "string",
            ("S", length) if is_count(length) => "bytes",
            ("V", length) => return Some(format!("r{}", length.parse::<u64>().ok()?.checked_mul(8)?).into()),
            ("M", "8") => "numpy.datetime64",
            ("m", "8") => "numpy.timedelta64",
            _ if other.starts_with("M8[") || other.starts_with("datetime64[") => "numpy.datetime64",
            _ if other.starts_with("m8[") || other.starts_with("timedelta64[") => "numpy.timedelta64",
            _ => return None,
        },
    };
    Some(known.into())
}

fn is_count(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_names() {
        for good in ["zstd", "numcodecs.adler32", "vlen-utf8", "a1", "r8"] {
            assert!(is_registered_name(good), "{good}");
        }
        for bad in ["", "a", "Zstd", "1a", "foo/bar", "foo:bar", "-a", "é1", "a b"] {
            assert!(!is_registered_name(bad), "{bad}");
        }
        assert!(is_uri_name("https://codec.example/x") && is_uri_name("urn:example:datetime"));
        assert!(!is_uri_name("zstd") && !is_uri_name(":x") && !is_uri_name("a:") && !is_uri_name("a: b"));
    }

    #[test]
    fn node_paths() {
        let p = NodePath::new("/foo/bar").unwrap();
        assert_eq!((p.to_string().as_str(), p.name()), ("/foo/bar", "bar"));
        assert_eq!(p.parent().unwrap().parent().unwrap(), NodePath::ROOT);
        assert_eq!(NodePath::ROOT.parent(), None);
        assert_eq!(p.relative_to(&NodePath::new("foo").unwrap()), Some("bar"));
        assert_eq!(NodePath::new("foobar").unwrap().relative_to(&NodePath::new("foo").unwrap()), None);
        for bad in ["/a/", "//a", "/a//b", "/.", "/a/..", "/...", "/__a", "/a/__zarr", "/zarr.json", "/a\0"] {
            assert!(NodePath::new(bad).is_err(), "{bad:?}");
        }
        for good in ["/", "", "/a.b", "/.a", "/é/_x", "/a b"] {
            assert!(NodePath::new(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn node_names() {
        for (bad, why) in [
            ("", "empty"),
            ("/", "`/`"),
            ("a/b", "`/`"),
            (".", "periods"),
            ("..", "periods"),
            ("....", "periods"),
            ("__", "reserved"),
            ("__a", "reserved"),
            ("zarr.json", "metadata"),
        ] {
            let e = check_node_name(bad).unwrap_err().to_string();
            assert!(e.contains(why), "{e}");
            assert!(NodePath::ROOT.child(bad).is_err(), "{bad:?}");
        }
        for good in ["a", ".a", "a.", "_", "_a_", "a__", "zarr.json.x", "Zarr.json", "日本語"] {
            assert_eq!(NodePath::ROOT.child(good).unwrap().name(), good);
        }
    }

    #[test]
    fn numpy_names_are_translated() {
        for (name, zarr) in [
            ("f4", "float32"),
            ("<f8", "float64"),
            (">i2", "int16"),
            ("|u1", "uint8"),
            ("float", "float64"),
            ("i8", "int64"),
            ("?", "bool"),
            ("=c16", "complex128"),
            ("<U10", "string"),
            ("U", "string"),
            ("|S3", "bytes"),
            ("V8", "r64"),
            ("<M8[ns]", "numpy.datetime64"),
            ("m8", "numpy.timedelta64"),
            ("timedelta64[s]", "numpy.timedelta64"),
        ] {
            assert_eq!(of_numpy(name).as_deref(), Some(zarr), "{name}");
        }
        for other in ["", "<", "é", "f3", "Ux", "float32x", "<<f4", "M", "r8"] {
            assert_eq!(of_numpy(other), None, "{other}");
        }
    }

    #[test]
    fn near_names_are_suggested() {
        let known = ["zstd", "gzip", "blosc"];
        assert_eq!(nearest("zsdt", known.into_iter()), Some("zstd"));
        assert_eq!(nearest("zst", known.into_iter()), Some("zstd"));
        assert_eq!(nearest("blsc", known.into_iter()), Some("blosc"));
        assert_eq!(nearest("pcodec", known.into_iter()), None);
    }
}
