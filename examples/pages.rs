//! The Rust code of the pages: each block is a doctest.

/// Includes pages whose blocks are doctests.
macro_rules! pages {
    ($($name:ident: $page:literal,)+) => {$(
        #[cfg(doctest)]
        #[doc = include_str!($page)]
        pub struct $name;
    )+};
}

pages! {
    Readme: "../README.md",
    Tutorial: "../docs/adding-an-extension.md",
    ConformanceForExtensionAuthors: "../docs/conformance-for-extension-authors.md",
    PluginInterface: "../docs/plugin-abi.md",
}
