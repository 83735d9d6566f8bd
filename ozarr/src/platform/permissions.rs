//! Permissions, owner and group of a file or directory that replaces another.

#[cfg(not(unix))]
pub(crate) use portable::{Access, initial_mode, is_own, keep, make_removable, narrow};
#[cfg(unix)]
pub(crate) use unix::{Access, initial_mode, is_own, keep, make_removable, narrow};

#[cfg(unix)]
mod unix {
    use super::super::{directory::Directory, process};
    use std::{
        ffi::OsStr,
        fs::{self, File, Metadata, Permissions},
        io::{self, ErrorKind},
        os::unix::fs::{MetadataExt, PermissionsExt, fchown},
        path::{Path, PathBuf},
        rc::Rc,
    };

    /// The permissions, owner and group of a file or directory.
    #[derive(Debug, Clone)]
    pub(crate) struct Access {
        /// The mode without an access control list: the bits of group and others grant no more than the list does.
        mode: u32,
        uid: u32,
        gid: u32,
        is_dir: bool,
        has_lists: bool,
    }

    impl Access {
        /// Reads those of an open file or directory.
        pub(crate) fn of(file: &File, metadata: &Metadata) -> io::Result<Self> {
            Ok(Self::new(metadata, &lists::of(file, metadata.is_dir())?))
        }
        /// Reads those of the file or directory at a path.
        pub(crate) fn at(path: &Path, metadata: &Metadata) -> io::Result<Self> {
            Ok(Self::new(metadata, &lists::at(path, metadata.is_dir())?))
        }
        fn new(metadata: &Metadata, lists: &lists::Lists) -> Self {
            let mode = metadata.mode();
            Self {
                mode: lists.access.as_ref().map_or(mode, |list| without(mode, list)),
                uid: metadata.uid(),
                gid: metadata.gid(),
                is_dir: metadata.is_dir(),
                has_lists: lists.access.is_some() || lists.has_default,
            }
        }
    }

    /// Returns the mode bits that give nobody more than an access control list, in the form in which Linux stores it.
    ///
    /// With a list, the mode has the list's mask in place of the group's rights, which are in the list. The list may
    /// also give named users and groups fewer rights than others have.
    pub(super) fn without(mode: u32, list: &[u8]) -> u32 {
        const USER: u16 = 0x02;
        const OWN_GROUP: u16 = 0x04;
        const GROUP: u16 = 0x08;
        const MASK: u16 = 0x10;
        let entries = list.get(4..).unwrap_or_default().as_chunks::<8>().0;
        let entries = || entries.iter().map(|e| (u16::from_le_bytes([e[0], e[1]]), u32::from(e[2]) & 0o7));
        let mask = entries().find(|(tag, _)| *tag == MASK).map_or(0o7, |(_, rights)| rights);
        let least =
            |named| entries().filter(|(tag, _)| *tag == named).fold(0o7, |least, (_, rights)| least & rights & mask);
        let own = entries().find(|(tag, _)| *tag == OWN_GROUP).map_or(0, |(_, rights)| rights & mask);
        let group = own & least(USER);
        let others = mode & least(USER) & least(GROUP);
        mode & !0o77 | group << 3 | others
    }

    /// Returns the mode to create a file that will replace another. It gives nobody access who had none to the old
    /// file.
    pub(crate) fn initial_mode(replaced: Option<&Access>) -> u32 {
        let Some(Access { mode, .. }) = replaced else { return 0o666 };
        // If group and others have the same rights, the file's group does not matter, and usually nothing must be
        // changed later.
        0o600 | if (mode >> 3) & 0o7 == mode & 0o7 { mode & 0o077 } else { 0 }
    }

    /// Gives a new file or directory the permissions, owner and group of the one that it will replace, as far as this
    /// process may. Nobody gets more rights than before. Set-id bits of files and access control lists are not copied,
    /// and lists that the new one has inherited are removed. Returns true if something had to be changed.
    pub(crate) fn keep(new: &File, replaced: &Access) -> io::Result<bool> {
        give(new, &Access::of(new, &new.metadata()?)?, replaced, 0o7777)
    }

    /// As [`keep`], for a file or directory that replaces nothing but is like another: adds no right to those that it
    /// was created with.
    pub(crate) fn narrow(new: &File, like: &Access) -> io::Result<bool> {
        let access = Access::of(new, &new.metadata()?)?;
        // In a directory that passes on its group, new directories do so too.
        give(new, &access, like, access.mode | 0o2000)
    }

    fn give(file: &File, new: &Access, like: &Access, most: u32) -> io::Result<bool> {
        let set = |mode| file.set_permissions(Permissions::from_mode(mode));
        let (mut now, mut is_changed) = (new.mode & 0o7777, false);
        if new.has_lists {
            // Without the list, its mask, which is in place of the group's bits, would become the rights of the group.
            now &= 0o7700;
            set(now)?;
            lists::remove(file, new.is_dir)?;
            is_changed = true;
        }
        let mut is_group_kept = new.gid == like.gid;
        if new.uid != like.uid && fchown(file, Some(like.uid), Some(like.gid)).is_ok() {
            (is_group_kept, is_changed) = (true, true);
        }
        if !is_group_kept {
            is_group_kept = fchown(file, None, Some(like.gid)).is_ok();
            is_changed |= is_group_kept;
        }
        let mut mode = like.mode & if like.is_dir { 0o7777 } else { 0o777 };
        if !is_group_kept {
            // Members of either group are among the others of the other file.
            let both = (mode >> 3) & mode & 0o7;
            mode = mode & 0o1700 | both << 3 | both;
        }
        mode &= most;
        if now == mode {
            return Ok(is_changed);
        }
        match set(mode) {
            // Some file systems have no file permissions. A mode that is already narrower may stay.
            Err(_) if now & 0o777 & !mode == 0 => Ok(is_changed),
            other => other.map(|()| true),
        }
    }

    /// Returns true if the owner is the user of this process.
    pub(crate) fn is_own(metadata: &Metadata) -> bool {
        metadata.uid() == process::user()
    }

    /// Lets this process remove the contents of a directory and of those below it, as far as it owns them. Links that
    /// replace them during the call are not followed.
    pub(crate) fn make_removable(directory: &Path) {
        let mut left = Closed::of(directory);
        while left.step() {}
    }

    /// Directories that are still to be opened: each with its path and its open parent directory.
    pub(super) struct Closed(Vec<(Rc<Directory>, PathBuf)>);

    impl Closed {
        pub(super) fn of(path: &Path) -> Self {
            let above = path.parent().and_then(|above| Directory::open(above).ok());
            Self(above.map(|above| (Rc::new(above), path.to_owned())).into_iter().collect())
        }
        /// Makes the next directory removable, and adds those in it. Returns false if none was left.
        pub(super) fn step(&mut self) -> bool {
            let Some((above, path)) = self.0.pop() else { return false };
            if let Some(directory) = path.file_name().and_then(|name| make_own_removable(&above, name)) {
                let directory = Rc::new(directory);
                // The path may lead elsewhere by now. It only provides names, which are then opened in the open
                // directory.
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                let below = entries.filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir()));
                self.0.extend(below.map(|e| (directory.clone(), e.path())));
            }
            true
        }
    }

    /// Opens a directory that this user owns, and lets the user empty it.
    fn make_own_removable(above: &Directory, name: &OsStr) -> Option<Directory> {
        const MODE: u32 = 0o700;
        let directory = match above.open_dir(name) {
            Err(e) if e.kind() == ErrorKind::PermissionDenied => {
                // A process that may change the mode of another user's directory could have opened it.
                above.set_mode(name, MODE as libc::mode_t).ok()?;
                above.open_dir(name).ok()?
            }
            other => other.ok()?,
        };
        let is_own = directory.file().metadata().is_ok_and(|metadata| is_own(&metadata));
        let is_done = is_own && directory.file().set_permissions(Permissions::from_mode(MODE)).is_ok();
        is_done.then_some(directory)
    }

    /// Access control lists.
    mod lists {
        use std::{fs::File, io, path::Path};

        #[derive(Default)]
        pub(super) struct Lists {
            /// The list of a file or directory, if it has more than the mode.
            pub(super) access: Option<Vec<u8>>,
            /// Whether a directory has a list for new entries.
            pub(super) has_default: bool,
        }

        #[cfg(target_os = "linux")]
        mod linux {
            use super::{File, Lists, Path, io};
            use crate::platform::attributes::{attribute_at, attribute_of, remove_attribute};
            use std::ffi::CStr;

            const ACCESS: &CStr = c"system.posix_acl_access";
            const DEFAULT: &CStr = c"system.posix_acl_default";

            pub(crate) fn of(file: &File, is_dir: bool) -> io::Result<Lists> {
                read(is_dir, |name| attribute_of(file, name))
            }
            pub(crate) fn at(path: &Path, is_dir: bool) -> io::Result<Lists> {
                read(is_dir, |name| attribute_at(path, name))
            }
            fn read(is_dir: bool, get: impl Fn(&CStr) -> io::Result<Option<Vec<u8>>>) -> io::Result<Lists> {
                Ok(Lists { access: get(ACCESS)?, has_default: is_dir && get(DEFAULT)?.is_some() })
            }
            pub(crate) fn remove(file: &File, is_dir: bool) -> io::Result<()> {
                remove_attribute(file, ACCESS)?;
                if is_dir { remove_attribute(file, DEFAULT) } else { Ok(()) }
            }
        }
        #[cfg(target_os = "linux")]
        pub(super) use linux::{at, of, remove};

        /// Other systems store lists in other forms, which stay as they are.
        #[cfg(not(target_os = "linux"))]
        mod unknown {
            use super::{File, Lists, Path, io};

            pub(crate) fn of(_: &File, _: bool) -> io::Result<Lists> {
                Ok(Lists::default())
            }
            pub(crate) fn at(_: &Path, _: bool) -> io::Result<Lists> {
                Ok(Lists::default())
            }
            pub(crate) fn remove(_: &File, _: bool) -> io::Result<()> {
                Ok(())
            }
        }
        #[cfg(not(target_os = "linux"))]
        pub(super) use unknown::{at, of, remove};
    }
}

#[cfg(not(unix))]
mod portable {
    use std::{
        fs::{File, Metadata},
        io,
        path::Path,
    };

    #[derive(Debug, Clone)]
    pub(crate) struct Access;

    impl Access {
        pub(crate) fn of(_: &File, _: &Metadata) -> io::Result<Self> {
            Ok(Self)
        }
        pub(crate) fn at(_: &Path, _: &Metadata) -> io::Result<Self> {
            Ok(Self)
        }
    }

    pub(crate) fn initial_mode(_: Option<&Access>) -> u32 {
        0
    }
    pub(crate) fn keep(_: &File, _: &Access) -> io::Result<bool> {
        Ok(false)
    }
    pub(crate) fn narrow(_: &File, _: &Access) -> io::Result<bool> {
        Ok(false)
    }
    pub(crate) fn is_own(_: &Metadata) -> bool {
        true
    }
    pub(crate) fn make_removable(_: &Path) {}
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::unix::{Closed, without};
    use crate::platform::directory::Directory;
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
        path::Path,
    };

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o7777
    }

    /// Whenever the swap happens, the target directory of the link is neither changed nor entered.
    #[test]
    fn links_in_place_of_directories_are_not_followed() {
        const STEPS: usize = 4;
        for swapped in 0..STEPS {
            for at in ["orphan", "orphan/a", "orphan/a/b"] {
                let dir = tempfile::tempdir().unwrap();
                let outside = dir.path().join("outside");
                fs::create_dir_all(outside.join("a/b")).unwrap();
                fs::create_dir_all(dir.path().join("orphan/a/b")).unwrap();
                for below in ["a/b", "a", ""] {
                    set_mode(&dir.path().join("orphan").join(below), 0o755);
                    set_mode(&outside.join(below), 0o755);
                }
                let mut left = Closed::of(&dir.path().join("orphan"));
                for step in 0..STEPS {
                    if step == swapped {
                        fs::rename(dir.path().join(at), dir.path().join("moved")).unwrap();
                        symlink(&outside, dir.path().join(at)).unwrap();
                    }
                    left.step();
                }
                assert!(!left.step(), "all are done");
                for below in ["", "a", "a/b"] {
                    assert_eq!(
                        mode(&outside.join(below)),
                        0o755,
                        "outside/{below}: {at} swapped before step {swapped}"
                    );
                }
            }
        }
    }

    #[test]
    fn directories_are_made_removable() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("orphan/a/b")).unwrap();
        fs::write(dir.path().join("orphan/file"), "").unwrap();
        let directories = ["orphan/a/b", "orphan/a", "orphan"].map(|name| dir.path().join(name));
        directories.iter().for_each(|directory| set_mode(directory, 0o500));
        super::make_removable(&directories[2]);
        assert_eq!(directories.each_ref().map(|directory| mode(directory)), [0o700; 3]);
        // Another user is needed for the others, and only root can become one.
        if directories[0].metadata().unwrap().uid() == 0 {
            chown(&directories[1], Some(12_345), None).unwrap();
            directories.iter().for_each(|directory| set_mode(directory, 0o500));
            super::make_removable(&directories[2]);
            assert_eq!(directories.map(|directory| mode(&directory)), [0o500, 0o500, 0o700]);
        }
    }

    /// The case in which a directory cannot be opened before its mode is changed.
    #[test]
    fn the_mode_of_a_link_target_is_preserved() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["outside", "own"] {
            fs::create_dir(dir.path().join(name)).unwrap();
            set_mode(&dir.path().join(name), 0o500);
        }
        symlink("outside", dir.path().join("link")).unwrap();
        let above = Directory::open(dir.path()).unwrap();
        above.set_mode("own".as_ref(), 0o700).unwrap();
        above.set_mode("link".as_ref(), 0o700).unwrap_err();
        above.open_dir("link".as_ref()).unwrap_err();
        assert_eq!(["own", "outside"].map(|name| mode(&dir.path().join(name))), [0o700, 0o500]);
    }

    #[test]
    fn mode_bits_grant_no_more_than_the_list() {
        let list = |entries: &[(u8, u8)]| {
            let entry = |(tag, rights): &(u8, u8)| [*tag, 0, *rights, 0, 1, 0, 0, 0];
            [[2, 0, 0, 0].to_vec(), entries.iter().flat_map(entry).collect()].concat()
        };
        let (owner, user, own_group, group, mask, others) = (1, 2, 4, 8, 16, 32);
        for (mode, entries, expected) in [
            (0o660, vec![(owner, 6), (user, 6), (own_group, 0), (mask, 6), (others, 0)], 0o600),
            (0o640, vec![(owner, 6), (user, 7), (own_group, 7), (mask, 4), (others, 0)], 0o640),
            (0o664, vec![(owner, 6), (own_group, 4), (group, 6), (mask, 6), (others, 4)], 0o644),
            // Named users with fewer rights than the others, or than the group.
            (0o644, vec![(owner, 6), (user, 0), (own_group, 4), (mask, 4), (others, 4)], 0o600),
            (0o644, vec![(owner, 6), (own_group, 4), (group, 0), (mask, 4), (others, 4)], 0o640),
            (0o606, vec![(owner, 6), (user, 6), (own_group, 6), (mask, 0), (others, 6)], 0o600),
            (0o666, vec![], 0o606),
        ] {
            let found = without(mode, &list(&entries));
            assert_eq!(found, expected, "{mode:o} {entries:?}: {found:o}");
        }
    }
}
