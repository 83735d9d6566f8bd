//! The libraries of the codecs, with contexts and memory that each thread keeps.

use crate::{
    Cell, E,
    files::{Entry, File},
};
use common::Failure;
use std::{ffi::CString, sync::Mutex};

extern crate blosc_src as _;

unsafe extern "C" {
    fn blosc_decompress_ctx(src: *const u8, dest: *mut u8, size: usize, threads: i32) -> i32;
    fn blosc_compress_ctx(
        level: i32,
        shuffle: i32,
        typesize: usize,
        n: usize,
        src: *const u8,
        dest: *mut u8,
        size: usize,
        compressor: *const i8,
        blocksize: usize,
        threads: i32,
    ) -> i32;
}

pub enum Codec {
    Raw,
    Zstd,
    Blosc { compressor: CString, shuffle: i32 },
    Gzip,
}

impl Codec {
    pub fn new(json: &str) -> Result<Self, Failure> {
        let codecs: Vec<serde_json::Value> = serde_json::from_str(json)?;
        let Some(last) = codecs.get(1) else { return Ok(Self::Raw) };
        let text = |name: &str| last["configuration"][name].as_str().unwrap_or_default();
        Ok(match last["name"].as_str().unwrap_or_default() {
            "zstd" => Self::Zstd,
            "gzip" => Self::Gzip,
            _ => Self::Blosc {
                compressor: CString::new(text("cname"))?,
                shuffle: if text("shuffle") == "shuffle" { 1 } else { 2 },
            },
        })
    }
}

/// The state that one thread keeps.
pub struct Contexts {
    zstd: zstd_safe::DCtx<'static>,
    zstd_out: zstd_safe::CCtx<'static>,
    inflate: libdeflater::Decompressor,
    deflate: libdeflater::Compressor,
    piece: Vec<u8>,
    decoded: Vec<u8>,
}

/// Threads end with each job, contexts do not.
static KEPT: Mutex<Vec<Contexts>> = Mutex::new(Vec::new());

pub fn with_contexts<R>(f: impl FnOnce(&mut Contexts) -> R) -> R {
    let kept = KEPT.lock().unwrap().pop();
    let mut contexts = kept.unwrap_or_else(Contexts::new);
    let done = f(&mut contexts);
    KEPT.lock().unwrap().push(contexts);
    done
}

fn grown(v: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if v.len() < len {
        v.resize(len, 0);
    }
    &mut v[..len]
}

impl Contexts {
    fn new() -> Self {
        let level = libdeflater::CompressionLvl::new(5).unwrap();
        Self {
            zstd: zstd_safe::DCtx::create(),
            zstd_out: zstd_safe::CCtx::create(),
            inflate: libdeflater::Decompressor::new(),
            deflate: libdeflater::Compressor::new(level),
            piece: Vec::new(),
            decoded: Vec::new(),
        }
    }
    pub fn piece(&mut self, len: usize) -> &mut [u8] {
        grown(&mut self.piece, len)
    }
    pub fn decode(&mut self, codec: &Codec, file: &File, entry: Entry, len: usize) -> Result<&[u8], Failure> {
        let mut decoded = std::mem::take(&mut self.decoded);
        let done = self.decode_into(codec, file, entry, grown(&mut decoded, len));
        self.decoded = decoded;
        done.map(|()| &self.decoded[..len])
    }
    pub fn decode_into(&mut self, codec: &Codec, file: &File, entry: Entry, out: &mut [u8]) -> Result<(), Failure> {
        let piece = grown(&mut self.piece, entry.len as usize);
        file.read(entry.start, piece)?;
        let len = out.len();
        let n = match codec {
            Codec::Raw => return Err("raw chunks are read in place".into()),
            Codec::Zstd => self.zstd.decompress(out, piece).map_err(zstd_safe::get_error_name)?,
            Codec::Gzip => self.inflate.gzip_decompress(piece, out)?,
            // SAFETY: `out` has `len` bytes, and `piece` is a whole container that this program wrote.
            Codec::Blosc { .. } => unsafe { blosc_decompress_ctx(piece.as_ptr(), out.as_mut_ptr(), len, 1) as usize },
        };
        if n == len { Ok(()) } else { Err(format!("{n} bytes, not {len}").into()) }
    }
    /// Appends a chunk of the array.
    pub fn encode(
        &mut self,
        codec: &Codec,
        data: &[u8],
        shape: Cell,
        cell: Cell,
        chunk: Cell,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let [c, n] = [chunk.map(|n| n as usize), shape.map(|n| n as usize)];
        let at = cell.map(|i| i as usize);
        let len = c[0] * c[1] * c[2] * E;
        let gather = |to: &mut [u8]| {
            for z in 0..c[0] {
                for y in 0..c[1] {
                    let from = (((at[0] * c[0] + z) * n[1] + at[1] * c[1] + y) * n[2] + at[2] * c[2]) * E;
                    to[(z * c[1] + y) * c[2] * E..][..c[2] * E].copy_from_slice(&data[from..][..c[2] * E]);
                }
            }
        };
        let start = out.len();
        if let Codec::Raw = codec {
            out.resize(start + len, 0);
            gather(&mut out[start..]);
            return Ok(());
        }
        let from = grown(&mut self.decoded, len);
        gather(from);
        let bound = match codec {
            Codec::Gzip => self.deflate.gzip_compress_bound(len),
            Codec::Zstd => zstd_safe::compress_bound(len),
            _ => len + 16,
        };
        out.resize(start + bound, 0);
        let to = &mut out[start..];
        let written = match codec {
            Codec::Gzip => self.deflate.gzip_compress(from, to)?,
            Codec::Blosc { compressor, shuffle } => {
                // SAFETY: `from` has `len` bytes, and `to` has `bound`.
                unsafe {
                    blosc_compress_ctx(
                        5,
                        *shuffle,
                        E,
                        len,
                        from.as_ptr(),
                        to.as_mut_ptr(),
                        bound,
                        compressor.as_ptr(),
                        0,
                        1,
                    ) as usize
                }
            }
            _ => self.zstd_out.compress(to, from, 0).map_err(zstd_safe::get_error_name)?,
        };
        out.truncate(start + written);
        Ok(())
    }
}
