//! URI schemes, and `file` URIs.

use std::path::{Path, PathBuf};
use zarr_core::{Error, Result};

pub(crate) const FILE: &str = "file";

/// Returns the scheme of a URI. A single letter is a drive, not a scheme.
pub(crate) fn scheme_of(location: &str) -> Option<String> {
    let (scheme, rest) = location.split_once(':')?;
    let valid = scheme.len() > 1
        && rest.starts_with("//")
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    valid.then(|| scheme.to_ascii_lowercase())
}

/// Returns the path of a `file` URI, following RFC 8089.
///
/// ```
/// use ozarr::store::file_path;
/// use std::path::Path;
///
/// assert!(file_path("file:///data/my%20data.zarr")?.ends_with("data/my data.zarr"));
/// assert!(file_path("file://another-machine/data.zarr").is_err());
/// # Ok::<(), ozarr::Error>(())
/// ```
pub fn file_path(uri: &str) -> Result<PathBuf> {
    let wrong = |why| Error::argument(format!("{uri:?} is not a valid file URL: {why}"));
    let rest = uri.split_once("://").map(|(_, rest)| rest).ok_or_else(|| wrong("missing `//`"))?;
    let (host, path) = rest.find('/').map(|i| rest.split_at(i)).ok_or_else(|| wrong("missing path"))?;
    if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
        return Err(wrong("the host is not this machine"));
    }
    let (mut bytes, mut left) = (Vec::new(), path.bytes());
    while let Some(b) = left.next() {
        let digit = |b: Option<u8>| b.and_then(|b| (b as char).to_digit(16));
        bytes.push(match b {
            b'%' => match (digit(left.next()), digit(left.next())) {
                (Some(high), Some(low)) => (high * 16 + low) as u8,
                _ => return Err(wrong("`%` is not followed by two hexadecimal digits")),
            },
            b'?' | b'#' => return Err(wrong("queries and fragments are not supported")),
            b => b,
        });
    }
    if bytes.contains(&0) {
        return Err(wrong("unexpected null character"));
    }
    let path = String::from_utf8(bytes).map_err(|_| wrong("the path is not valid UTF-8"))?;
    Ok(PathBuf::from(if cfg!(windows) { path.trim_start_matches('/') } else { &path }))
}

/// Returns the canonical URI of a path.
pub(super) fn file_uri(path: &Path, slash: bool) -> String {
    use std::fmt::Write;
    // Bytes, not text: two names that are not UTF-8 could become the same text.
    let bytes = path.as_os_str().as_encoded_bytes();
    // The prefix of canonical paths on Windows.
    let bytes = bytes.strip_prefix(br"\\?\".as_slice()).filter(|_| cfg!(windows)).unwrap_or(bytes);
    let mut uri = String::from(if bytes.starts_with(b"/") { "file://" } else { "file:///" });
    for &b in bytes {
        match b {
            b'\\' if cfg!(windows) => uri.push('/'),
            b if b.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&b) => uri.push(b as char),
            b => {
                let _infallible = write!(uri, "%{b:02X}");
            }
        }
    }
    if slash {
        uri.push('/');
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_convert_both_ways() {
        assert_eq!(file_path("file:///my%20data").unwrap(), Path::new("/my data"));
        assert_eq!(file_path("file://localhost/x").unwrap(), Path::new("/x"));
        for bad in ["file://other/x", "file:///a%2", "file:///a%zz", "file://x", "file:///a?b", "file:///%00"] {
            assert!(file_path(bad).is_err(), "{bad}");
        }
        assert_eq!(file_uri(Path::new("/my data"), false), "file:///my%20data");
        assert_eq!(scheme_of("c://x"), None);
        assert_eq!(scheme_of("S3://x").as_deref(), Some("s3"));
        assert_eq!(scheme_of("a:b"), None);
    }
}
