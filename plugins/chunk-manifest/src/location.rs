//! The name of a file in a manifest: a path, or a `file` URL as in RFC 8089.

use std::path::PathBuf;
use zarr_plugin_api::{Error, Result};

/// Returns the path that a text names. It may be relative.
pub(crate) fn location(text: &str) -> Result<PathBuf> {
    let wrong = |why: &str| Error::configuration(format!("{text:?} is not a valid path of a file: {why}"));
    let path = match text.split_once("://") {
        None => text.to_owned(),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => url_path(rest).map_err(wrong)?,
        Some((scheme, _)) => {
            let e = wrong(&format!("unsupported URL scheme `{scheme}`"));
            return Err(e.with_hint("copy the file to this machine; remote files are not supported"));
        }
    };
    if path.is_empty() {
        return Err(wrong("the path is empty"));
    }
    if path.contains('\0') {
        return Err(wrong("unexpected null character"));
    }
    // Even checking whether such a path exists would send the user's credentials to that server.
    if path.chars().take(2).filter(|c| matches!(c, '/' | '\\')).count() == 2 {
        return Err(wrong("the path may be on another machine"));
    }
    Ok(path.into())
}

/// Returns the path from the part of a URL after `file://`.
fn url_path(rest: &str) -> Result<String, &'static str> {
    let (host, path) = rest.find('/').map(|i| rest.split_at(i)).ok_or("missing path")?;
    if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
        return Err("the host is not this machine");
    }
    let (mut bytes, mut left) = (Vec::new(), path.bytes());
    while let Some(b) = left.next() {
        let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
        bytes.push(match b {
            b'%' => match (digit(left.next()), digit(left.next())) {
                (Some(high), Some(low)) => (high * 16 + low) as u8,
                _ => return Err("`%` is not followed by two hexadecimal digits"),
            },
            b'?' | b'#' => return Err("queries and fragments are not supported"),
            b => b,
        });
    }
    let path = String::from_utf8(bytes).map_err(|_| "the path is not valid UTF-8")?;
    // The slash before a drive letter is only part of the URL.
    Ok(if cfg!(windows) { path.strip_prefix('/').map(str::to_owned).unwrap_or(path) } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn paths_and_urls() {
        for (text, path) in [
            ("a.nc", "a.nc"),
            ("../b/ü c.nc", "../b/ü c.nc"),
            ("100%25.nc", "100%25.nc"),
            ("a?b#c", "a?b#c"),
            ("/data/a.nc", "/data/a.nc"),
        ] {
            assert_eq!(location(text).unwrap(), Path::new(path));
        }
        let slash = if cfg!(windows) { "" } else { "/" };
        for (url, path) in [
            ("file:///data/a.nc", "data/a.nc"),
            ("FILE://LocalHost/data/a.nc", "data/a.nc"),
            ("file:///my%20d%C3%A4ta/%3f", "my däta/?"),
        ] {
            assert_eq!(location(url).unwrap(), Path::new(&format!("{slash}{path}")));
        }
    }

    #[test]
    fn locations_that_are_not_local_files_are_refused() {
        for bad in [
            "",
            "s3://bucket/a.nc",
            "https://example.org/a.nc",
            "://a",
            "file://",
            "file://a.nc",
            "file://other/a.nc",
            "file:////other/a.nc",
            "file:///%2fother/a.nc",
            "file:///a%2",
            "file:///a%+1",
            "file:///a%zz",
            "file:///a?b",
            "file:///a#b",
            "file:///%ff",
            "file:///%00",
            "a\0b",
            "//other/a.nc",
            r"\\other\a.nc",
            r"\\?\C:\a.nc",
            r"/\other\a.nc",
        ] {
            let e = location(bad).unwrap_err();
            assert!(e.to_string().contains("is not a valid path of a file"), "{bad}: {e}");
        }
        assert!(location("gs://b/a").unwrap_err().hint().is_some());
    }
}
