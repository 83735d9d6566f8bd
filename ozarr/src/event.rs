//! Events of the `tracing` crate for conditions that are not errors. Without the feature they cost nothing.

/// `event!(WARN, "text", name = value, ..)`: each value is formatted with `Display` and escaped like [text from a
/// store](crate::text).
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
