//! Runs the Rust code of the pages that is more than a doctest: a program that writes files, and a codec with its tests.
#![allow(clippy::unwrap_used, reason = "in a test that is how to fail")]

/// The program of the README.
mod readme {
    include!(concat!(env!("OUT_DIR"), "/README-0.rs"));

    #[test]
    fn the_program_works() {
        let dir = tempfile::tempdir().unwrap();
        std::env::set_current_dir(dir.path()).unwrap();
        main().unwrap();
        assert!(dir.path().join("data.zarr/weather/temperature/zarr.json").exists());
    }
}

/// The codec of the tutorial, with its tests from two pages.
#[allow(unexpected_cfgs, reason = "the `plugin` feature belongs to the crate of an extension")]
mod tutorial {
    include!(concat!(env!("OUT_DIR"), "/adding-an-extension-0.rs"));
    include!(concat!(env!("OUT_DIR"), "/adding-an-extension-1.rs"));

    mod properties {
        include!(concat!(env!("OUT_DIR"), "/conformance-for-extension-authors-0.rs"));
    }
}
