//! Events of `tracing`: what a caller may want to know although nothing failed. Without that feature they cost nothing.

/// `event!(WARN, "text", name = value, ..)`: each value is shown by its `Display`, escaped as [text from a store](crate::text).
macro_rules! event {
    ($level:ident, $text:literal $(, $name:ident = $value:expr)*) => {{
        #[cfg(feature = "tracing")]
        ::tracing::event!(target: "ozarr", ::tracing::Level::$level, $($name = %$crate::text::shown(&$value.to_string()),)* $text);
        #[cfg(not(feature = "tracing"))]
        {
            $(let _ = &$value;)*
        }
    }};
}
pub(crate) use event;
