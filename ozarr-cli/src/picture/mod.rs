//! Draws elements of an array, in a terminal and as PNG.

mod chart;
mod colormap;
mod numbers;
mod numpy;
mod pixels;
mod plane;
mod png;
mod sample;
pub(crate) mod terminal;

pub(crate) use self::png::encode;
pub(crate) use chart::Chart;
pub(crate) use colormap::{Colormap, NAN, Rgb, color};
pub(crate) use numbers::{Number, Numbers};
pub(crate) use numpy::summary;
pub(crate) use pixels::{Palette, Pixels};
pub(crate) use plane::Plane;
pub(crate) use sample::Grid;
