//! What tells versions of a file apart.

#[cfg(not(unix))]
pub(crate) use portable::Version;
#[cfg(unix)]
pub(crate) use unix::Version;

#[cfg(unix)]
mod unix {
    use std::{
        fs::Metadata,
        os::unix::fs::MetadataExt,
        time::{Duration, SystemTime, UNIX_EPOCH},
    };

    /// Changes within one step of the file system's clock may not show: a version that is younger than some steps is not
    /// settled yet.
    const STEPS: Duration = Duration::from_millis(100);
    /// The same for file systems that count seconds, or pairs of them.
    const STEPS_OF_SECONDS: Duration = Duration::from_secs(3);

    /// Which file, and when it was changed. Two that are equal and settled are one.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Version {
        file: (u64, u64),
        size: u64,
        modified: (i64, i64),
        changed: (i64, i64),
    }

    impl Version {
        pub(crate) fn of(m: &Metadata) -> Self {
            Self {
                file: (m.dev(), m.ino()),
                size: m.size(),
                modified: (m.mtime(), m.mtime_nsec()),
                changed: (m.ctime(), m.ctime_nsec()),
            }
        }
        /// True if no later change can look like this version.
        pub(crate) fn is_settled(&self) -> bool {
            let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1)) else {
                return false;
            };
            let steps = if nanoseconds == 0 { STEPS_OF_SECONDS } else { STEPS };
            let changed = UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds));
            changed.and_then(|c| SystemTime::now().duration_since(c).ok()).is_some_and(|age| age > steps)
        }
    }
}

/// Where files do not tell enough, no version is ever settled.
#[cfg(any(not(unix), test))]
mod portable {
    use std::{fs::Metadata, time::SystemTime};

    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Version(u64, Option<SystemTime>);

    impl Version {
        pub(crate) fn of(m: &Metadata) -> Self {
            Self(m.len(), m.modified().ok())
        }
        pub(crate) fn is_settled(&self) -> bool {
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Version, portable};
    use std::{fs, path::Path};

    #[test]
    fn every_change_shows_or_is_not_settled() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        let version = || (Version::of(&fs::metadata(&path).unwrap()), fs::metadata(&path).unwrap());
        fs::write(&path, b"abc").unwrap();
        let (first, metadata) = version();
        assert_eq!(first, version().0);
        assert!(!first.is_settled() && !portable::Version::of(&metadata).is_settled());
        fs::write(&path, b"longer").unwrap();
        assert_ne!(first, version().0);
        // Another file of the same name and size.
        let beside = dir.path().join("beside");
        fs::write(&beside, b"abc").unwrap();
        fs::rename(&beside, &path).unwrap();
        assert_ne!(first, version().0);
    }

    #[test]
    fn what_is_old_is_settled() {
        let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert_eq!(Version::of(&fs::metadata(old).unwrap()).is_settled(), cfg!(unix));
    }
}
