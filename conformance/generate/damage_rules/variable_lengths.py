"""Damage to elements of variable length."""

from .damage import Damage, add, keep, put, u32


def damages():
    for name in ("vlen-utf8", "vlen-bytes"):
        yield from lengths(name)
    for label, about, text in [
        ("not-utf8", "The bytes of an element are not UTF-8.", b"\xff"),
        ("continuation", "An element is the second half of a character.", b"\x80"),
    ]:
        yield vlen("vlen-utf8", label, about, put(12, text))
    long = "An element contains an overlong character."
    yield vlen("vlen-utf8", "overlong", long, put(17, b"\xc0\x80a"))
    surrogate = "An element contains half of a surrogate pair."
    yield vlen("vlen-utf8", "surrogate", surrogate, put(17, b"\xed\xa0\x80"))


def vlen(name, label, about, change):
    return Damage(f"{name}-{label}", "codec/vlen/lengths", f"codec/{name}/zarr-python-plain", about, change)


def lengths(name):
    """Yields damage to the first chunk, which has four elements; the length of the first is at byte 4."""
    for label, about, change in [
        ("empty", "There are no bytes.", keep(0)),
        ("count-truncated", "The number of elements is truncated.", keep(3)),
        ("count-only", "There is nothing after the number of elements.", keep(4)),
        ("count-larger", "There are fewer elements than stated.", put(0, u32(5))),
        ("count-smaller", "The stated number of elements is less than that of a chunk.", put(0, u32(3))),
        ("count-zero", "The stated number of elements is zero.", put(0, u32(0))),
        ("count-huge", "The stated number of elements exceeds memory.", put(0, u32(0xFFFFFFFF))),
        ("length-beyond-end", "An element is longer than the chunk.", put(4, u32(1000))),
        ("length-huge", "The stated length of an element is 4 GiB.", put(4, u32(0xFFFFFFFF))),
        ("last-byte-missing", "The last byte of the last element is missing.", keep(-1)),
        ("bytes-left-over", "There are bytes after the last element.", add(b"left over")),
        ("element-left-over", "There is one element more than in a chunk.", add(u32(1) + b"x")),
    ]:
        yield vlen(name, label, about, change)
