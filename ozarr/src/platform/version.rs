//! Distinguishes versions of a file.

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

    /// A change within one tick of the file system's clock may not be visible, so a younger version is not settled yet.
    /// Some file systems have ticks of two seconds, and a file server's clock may be a little behind ours.
    const SETTLED: Duration = Duration::from_secs(3);

    /// Identity, size and time of change of a file. Two equal versions that are settled are the same version.
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
        /// Returns true if no later change can look like this version.
        pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
            // A time that is not maintained is an old time.
            let (s, ns) = self.changed.max(self.modified);
            let changed = u64::try_from(s).ok().zip(u32::try_from(ns).ok());
            let changed = changed.and_then(|(s, ns)| UNIX_EPOCH.checked_add(Duration::new(s, ns)));
            changed.and_then(|c| now.duration_since(c).ok()).is_some_and(|age| age > SETTLED)
        }
    }
}

/// For systems whose files have no such information: no version is ever settled.
#[cfg(any(not(unix), test))]
mod portable {
    use std::{fs::Metadata, time::SystemTime};

    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Version(u64, Option<SystemTime>);

    impl Version {
        pub(crate) fn of(m: &Metadata) -> Self {
            Self(m.len(), m.modified().ok())
        }
        pub(crate) fn is_settled(&self, _: SystemTime) -> bool {
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Version, portable};
    use std::{
        fs,
        time::{Duration, SystemTime},
    };

    #[test]
    fn every_change_is_visible_or_unsettled() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        let version = || Version::of(&fs::metadata(&path).unwrap());
        fs::write(&path, b"abc").unwrap();
        let first = version();
        assert_eq!(first, version());
        fs::write(&path, b"longer").unwrap();
        assert_ne!(first, version());
        // Another file with the same name and size.
        let temporary = dir.path().join("temporary");
        fs::write(&temporary, b"abc").unwrap();
        fs::rename(&temporary, &path).unwrap();
        assert_ne!(first, version());
    }

    #[test]
    fn an_old_version_is_settled() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (metadata, now) = (file.as_file().metadata().unwrap(), SystemTime::now());
        let settled = |seconds| Version::of(&metadata).is_settled(now + Duration::from_secs(seconds));
        assert_eq!([settled(0), settled(2), settled(4)], [false, false, cfg!(unix)]);
        assert!(!portable::Version::of(&metadata).is_settled(now + Duration::from_secs(4)));
    }
}
