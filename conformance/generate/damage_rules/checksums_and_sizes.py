"""Damage to chunks with a checksum, and chunks of the wrong size."""

import zlib

from .damage import Damage, add, become, crc32c, flip, gzip_member, keep, u32


def damages():
    yield from checksums()
    yield from sizes()


def checksums():
    def crc(name, about, change, counterpart="after-bytes"):
        return Damage(f"crc32c-{name}", "codec/crc32c/checksum", f"codec/crc32c/zarr-python-{counterpart}", about, change)

    yield crc("data-flipped", "One bit of the data is flipped.", flip(7, 0x10))
    yield crc("first-byte-flipped", "The first byte is changed.", flip(0))
    yield crc("checksum-flipped", "One bit of the checksum is flipped.", flip(-1, 1))
    yield crc("checksum-zero", "The checksum is zero.", lambda value: value[:-4] + bytes(4))
    yield crc("last-byte-missing", "The last byte is missing.", keep(-1))
    yield crc("checksum-missing", "The checksum is missing.", keep(-4))
    yield crc("too-short", "There are fewer bytes than in a checksum.", keep(3))
    yield crc("empty", "There are no bytes.", keep(0))
    yield crc("big-endian", "The checksum is big-endian.", lambda value: value[:-4] + value[:-5:-1])
    other = "The checksum is CRC-32 instead of CRC-32C."
    yield crc("of-another-kind", other, lambda value: value[:-4] + u32(zlib.crc32(value[:-4])))
    yield crc("in-front", "The checksum precedes the data.", lambda value: value[-4:] + value[:-4])
    yield crc("outer-flipped", "The outer of two checksums is flipped.", flip(-1, 1), "twice")
    inner = "The inner of two checksums is flipped, and the outer one is correct."
    yield crc("inner-flipped", inner, flip_inner_checksum, "twice")
    yield crc("after-gzip-flipped", "The checksum of compressed bytes is flipped.", flip(-2, 1), "after-gzip")
    compressed = "The compressed content has a wrong checksum; the compression is correct."
    yield crc("before-gzip-flipped", compressed, become(gzip_member(bytes(80) + b"\1\2\3\4")), "before-gzip")


def flip_inner_checksum(value):
    content = value[:-8] + bytes([value[-8] ^ 1]) + value[-7:-4]
    return content + crc32c(content)


def sizes():
    def size(name, counterpart, about, change, clause="codec/bytes/size", **given):
        return Damage(name, clause, counterpart, about, change, **given)

    for kind, counterpart in [("int16", "codec/bytes/zarr-python-little-int16"),
                       ("uint8", "codec/bytes/zarr-python-no-configuration"),
                       ("transposed", "codec/transpose/zarr-python-order-1-0")]:  # fmt: skip
        yield size(f"bytes-{kind}-too-short", counterpart, "The last byte of a chunk is missing.", keep(-1))
        yield size(f"bytes-{kind}-too-long", counterpart, "A chunk has one byte too many.", add(b"\0"))
        yield size(f"bytes-{kind}-empty", counterpart, "A chunk is stored but empty.", keep(0))
    little = "codec/bytes/zarr-python-little-int16"
    yield size("bytes-element-missing", little, "The last element of a chunk is missing.", keep(-2))
    yield size("bytes-element-too-many", little, "A chunk has one element too many.", add(b"\0\0"))
    cropped = "A chunk at the edge has only the elements within the array."
    yield size("bytes-cropped-at-edge", little, cropped, keep(6), key="c/1/0")
    rank_0 = "chunk_grid/regular/zarr-python-rank-0"
    yield size("bytes-rank-0-too-short", rank_0, "The only element has too few bytes.", keep(1))
    short = "The checksum is correct, but the data is too short."
    yield size("size-crc32c-too-short", "codec/crc32c/zarr-python-after-bytes", short,
               lambda value: value[:-6] + crc32c(value[:-6]), "chunk/size")  # fmt: skip
    long = "The checksum is correct, but the data is too long."
    yield size("size-crc32c-too-long", "codec/crc32c/zarr-python-after-bytes", long,
               lambda value: value + crc32c(value), "chunk/size")  # fmt: skip
    yield size("size-crc32c-nothing", "codec/crc32c/zarr-python-after-bytes", "A correct checksum of no data.",
               become(crc32c(b"")), "chunk/size")  # fmt: skip
