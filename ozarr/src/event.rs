//! Events of `tracing` for decisions that are not errors. Without that feature they cost nothing.

/// `event!(WARN, "text", name = value, ..)`: each value is shown by its `Display`.
macro_rules! event {
    ($level:ident, $text:literal $(, $name:ident = $value:expr)*) => {{
        #[cfg(feature = "tracing")]
        ::tracing::event!(target: "ozarr", ::tracing::Level::$level, $($name = %$value,)* $text);
        #[cfg(not(feature = "tracing"))]
        {
            $(let _ = &$value;)*
        }
    }};
}
pub(crate) use event;
