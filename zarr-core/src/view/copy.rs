//! The strided copy: it merges dimensions, copies whole lines where possible, and blocks otherwise.

use super::axes::Axes;
use smallvec::SmallVec;

/// One dimension of both sides.
#[derive(Clone, Copy)]
struct Loop {
    len: usize,
    to: isize,
    from: isize,
}

/// Copies every element, reversing each part of `swap` bytes if `swap > 1`.
///
/// # Safety
/// The axes have equal lengths; for every index below them `to` and `from` reach `element` valid bytes (writable in
/// `to`), and the two sides do not overlap. `swap` divides `element`.
pub(super) unsafe fn strided(to: *mut u8, from: *const u8, a: &Axes, b: &Axes, element: usize, swap: usize) {
    if a.iter().any(|x| x.len == 0) || element == 0 {
        return;
    }
    let (unit, parts) = if swap > 1 { (swap, element / swap) } else { (element, 1) };
    let mut loops: SmallVec<[Loop; 5]> =
        a.iter().zip(b).map(|(a, b)| Loop { len: a.len, to: a.stride, from: b.stride }).collect();
    loops.push(Loop { len: parts, to: unit as isize, from: unit as isize });
    loops.retain(|l| l.len != 1);
    // Elements may be copied in any order: the densest dimension of the destination goes innermost.
    loops.sort_by_key(|l| std::cmp::Reverse(l.to.unsigned_abs()));
    merge(&mut loops);
    let inner = loops.pop().unwrap_or(Loop { len: 1, to: unit as isize, from: unit as isize });
    let dense_source = inner.from.unsigned_abs() <= unit;
    let second = if dense_source {
        loops.pop()
    } else {
        (0..loops.len()).min_by_key(|&i| loops[i].from.unsigned_abs()).map(|i| loops.remove(i))
    };
    let second = second.unwrap_or(Loop { len: 1, to: 0, from: 0 });
    let mut index: SmallVec<[usize; 5]> = SmallVec::from_elem(0, loops.len());
    loop {
        let (mut t, mut f) = (to, from);
        for (l, &i) in loops.iter().zip(&index) {
            t = t.wrapping_offset(l.to * i as isize);
            f = f.wrapping_offset(l.from * i as isize);
        }
        // SAFETY: `index` is below the lengths, so `t` and `f` are elements of their sides, and the two remaining
        // dimensions stay inside both sides.
        unsafe { plane(t, f, second, inner, unit, swap > 1) }
        if !advance(&mut index, &loops) {
            return;
        }
    }
}

fn advance(index: &mut [usize], loops: &[Loop]) -> bool {
    for k in (0..loops.len()).rev() {
        index[k] += 1;
        if index[k] < loops[k].len {
            return true;
        }
        index[k] = 0;
    }
    false
}

/// Merges neighboring dimensions that form one dimension in both sides.
fn merge(loops: &mut SmallVec<[Loop; 5]>) {
    let mut i = 0;
    while i + 1 < loops.len() {
        let (outer, inner) = (loops[i], loops[i + 1]);
        let n = inner.len as isize;
        if inner.to.checked_mul(n) == Some(outer.to) && inner.from.checked_mul(n) == Some(outer.from) {
            loops[i] = Loop { len: outer.len * inner.len, ..inner };
            loops.remove(i + 1);
        } else {
            i += 1;
        }
    }
}

/// # Safety
/// As [`strided`], for two dimensions.
unsafe fn plane(to: *mut u8, from: *const u8, outer: Loop, inner: Loop, unit: usize, swap: bool) {
    let u = unit as isize;
    if !swap && inner.to == u && inner.from == u {
        for i in 0..outer.len as isize {
            let (t, f) = (to.wrapping_offset(outer.to * i), from.wrapping_offset(outer.from * i));
            // SAFETY: a line of `inner.len` units without gaps on both sides, inside them and not overlapping.
            unsafe { std::ptr::copy_nonoverlapping(f, t, inner.len * unit) }
        }
        return;
    }
    // SAFETY: the caller's promise is passed on unchanged; `W` is the unit.
    unsafe {
        match unit {
            1 => blocks::<1>(to, from, outer, inner, false),
            2 => blocks::<2>(to, from, outer, inner, swap),
            4 => blocks::<4>(to, from, outer, inner, swap),
            8 => blocks::<8>(to, from, outer, inner, swap),
            16 => blocks::<16>(to, from, outer, inner, swap),
            _ => any_unit(to, from, outer, inner, unit, swap),
        }
    }
}

/// # Safety
/// As [`plane`].
unsafe fn any_unit(to: *mut u8, from: *const u8, outer: Loop, inner: Loop, unit: usize, swap: bool) {
    for i in 0..outer.len as isize {
        for j in 0..inner.len as isize {
            let t = to.wrapping_offset(outer.to * i + inner.to * j);
            let f = from.wrapping_offset(outer.from * i + inner.from * j);
            // SAFETY: `t` and `f` are one element of each side.
            unsafe { std::ptr::copy_nonoverlapping(f, t, unit) }
            if swap {
                // SAFETY: the element just written; nothing else accesses it.
                unsafe { std::slice::from_raw_parts_mut(t, unit) }.reverse();
            }
        }
    }
}

/// Copies squares of 64 x 64 elements through a buffer, for sources that are dense along the outer dimension: each line
/// of the source is read once, and each line of the destination is written once.
///
/// # Safety
/// As [`plane`], with units of `W` bytes.
unsafe fn blocks<const W: usize>(to: *mut u8, from: *const u8, outer: Loop, inner: Loop, swap: bool) {
    const B: usize = 64;
    let w = W as isize;
    if inner.from == w || outer.from != w || outer.len < 8 || W > 8 {
        for i in 0..outer.len as isize {
            // SAFETY: one line of each side.
            unsafe { line::<W>(to.wrapping_offset(outer.to * i), from.wrapping_offset(outer.from * i), inner, swap) }
        }
        return;
    }
    let mut square = [[[0u8; W]; B]; B];
    for o in (0..outer.len).step_by(B) {
        for n in (0..inner.len).step_by(B) {
            let (rows, columns) = (B.min(outer.len - o), B.min(inner.len - n));
            let t = to.wrapping_offset(outer.to * o as isize + inner.to * n as isize);
            let f = from.wrapping_offset(outer.from * o as isize + inner.from * n as isize);
            for (j, kept) in square.iter_mut().enumerate().take(columns) {
                let f = f.wrapping_offset(inner.from * j as isize);
                // SAFETY: `rows` units of the source without gaps, at most `B`, are copied into a line of the square.
                unsafe { std::ptr::copy_nonoverlapping(f, kept.as_mut_ptr().cast(), rows * W) }
            }
            for i in 0..rows {
                let t = t.wrapping_offset(outer.to * i as isize);
                for (j, kept) in square.iter().enumerate().take(columns) {
                    let mut unit = kept[i];
                    if swap {
                        unit.reverse();
                    }
                    // SAFETY: one unit of the destination; `[u8; W]` needs no alignment.
                    unsafe { t.wrapping_offset(inner.to * j as isize).cast::<[u8; W]>().write(unit) }
                }
            }
        }
    }
}

/// # Safety
/// As [`plane`], for one line.
unsafe fn line<const W: usize>(to: *mut u8, from: *const u8, l: Loop, swap: bool) {
    let one = |t: *mut u8, f: *const u8| {
        // SAFETY: one unit of the source; `[u8; W]` needs no alignment.
        let mut unit = unsafe { f.cast::<[u8; W]>().read() };
        if swap {
            unit.reverse();
        }
        // SAFETY: one unit of the destination.
        unsafe { t.cast::<[u8; W]>().write(unit) }
    };
    let w = W as isize;
    if l.to == w && l.from == w {
        // Constant strides let the compiler use full vectors.
        for j in 0..l.len {
            one(to.wrapping_add(j * W), from.wrapping_add(j * W));
        }
    } else if l.to == w && l.from == 0 {
        for j in 0..l.len {
            one(to.wrapping_add(j * W), from);
        }
    } else {
        for j in 0..l.len as isize {
            one(to.wrapping_offset(l.to * j), from.wrapping_offset(l.from * j));
        }
    }
}

/// Reverses the bytes of each unit of `width` bytes.
///
/// Does nothing for widths 0 and 1.
pub fn swap_in_place(bytes: &mut [u8], width: usize) {
    match width {
        0 | 1 => {}
        2 => bytes.as_chunks_mut::<2>().0.iter_mut().for_each(|c| c.reverse()),
        4 => bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|c| c.reverse()),
        8 => bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|c| c.reverse()),
        w => bytes.chunks_exact_mut(w).for_each(<[u8]>::reverse),
    }
}
