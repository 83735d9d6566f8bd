"""Damage to the output of gzip, zstd and blosc."""

from .damage import Damage, become, flip, gzip_member, keep, put, u32, zstd_frame


def damages():
    yield from gzips()
    yield from zstds()
    yield from bloscs()
    yield from sizes()


def gzips():
    def gzip(name, about, change, counterpart="level-5"):
        return Damage(f"gzip-{name}", "codec/gzip/format", f"codec/gzip/zarr-python-{counterpart}", about, change)

    yield gzip("empty", "There are no bytes.", keep(0))
    yield gzip("header-only", "There is nothing after the header.", keep(10))
    yield gzip("truncated", "The second half is missing.", lambda value: value[: len(value) // 2])
    yield gzip("last-byte-missing", "The last byte is missing.", keep(-1))
    yield gzip("trailer-missing", "The checksum and size at the end are missing.", keep(-8))
    yield gzip("magic", "The first byte is not that of gzip.", flip(0, 1))
    yield gzip("method", "The method of compression is not deflate.", put(2, b"\x07"))
    yield gzip("crc-flipped", "A bit of the checksum is flipped.", flip(-8, 1))
    yield gzip("isize-flipped", "A bit of the size is flipped.", flip(-4, 1))
    yield gzip("reserved-block-type", "The block has the invalid type.", flip(10, 0b010))
    stored = "The content is stored uncompressed, and one of its bytes is changed."
    yield gzip("stored-content-flipped", stored, flip(20, 1), "level-0")
    yield gzip("not-compressed", "The content is not compressed at all.", become(bytes(range(200))))
    yield gzip("second-member-truncated", "The second of two members is truncated.", keep(-9), "two-members")
    yield gzip("second-member-crc", "The checksum of the second of two members is wrong.", flip(-8, 1), "two-members")


def zstds():
    def zstd(name, about, change, counterpart="level-3"):
        return Damage(f"zstd-{name}", "codec/zstd/format", f"codec/zstd/zarr-python-{counterpart}", about, change)

    yield zstd("empty", "There are no bytes.", keep(0))
    yield zstd("magic-only", "There is nothing after the magic number.", keep(4))
    yield zstd("truncated", "The second half is missing.", lambda value: value[: len(value) // 2])
    yield zstd("last-byte-missing", "The last byte is missing.", keep(-1))
    yield zstd("magic", "The first byte is not that of a frame.", flip(0, 1))
    yield zstd("reserved-bit", "The reserved bit of the frame's header is set.", flip(4, 0x08))
    reserved = "The block has the reserved type."
    yield zstd("reserved-block-type", reserved, become(zstd_frame(bytes(200), block_type=3)))
    yield zstd("checksum-flipped", "A bit of the checksum is flipped.", flip(-1, 1), "level-3-checksum")
    yield zstd("checksum-missing", "The header announces a checksum, which is missing.", keep(-4), "level-3-checksum")
    yield zstd("not-compressed", "The content is not compressed at all.", become(bytes(range(200))))
    yield zstd("second-frame-truncated", "The second of two frames is truncated.", keep(-5), "two-frames")
    sizeless = "The frame does not state its content size, and is truncated."
    yield zstd("no-content-size-truncated", sizeless, keep(-10), "no-content-size")


def bloscs():
    def blosc(name, about, change, counterpart="lz4-shuffle"):
        return Damage(f"blosc-{name}", "codec/blosc/format", f"codec/blosc/zarr-python-{counterpart}", about, change)

    def header(at, number):
        return put(at, u32(number))

    yield blosc("empty", "There are no bytes.", keep(0))
    yield blosc("header-truncated", "The header is truncated.", keep(10))
    yield blosc("header-only", "There is nothing after the header.", keep(16))
    yield blosc("truncated", "The second half is missing.", lambda value: value[: len(value) // 2])
    yield blosc("last-byte-missing", "The last byte is missing.", keep(-1))
    yield blosc("stored-truncated", "The content is stored uncompressed, and truncated.", keep(-1), "clevel-0")
    yield blosc("cbytes-larger", "The header states more bytes than there are.", header(12, 1000))
    yield blosc("cbytes-tiny", "The header states fewer bytes than its own.", header(12, 8))
    yield blosc("nbytes-larger", "The header states a larger content size than that of a chunk.", header(4, 804))
    yield blosc("nbytes-smaller", "The header states a smaller content size than that of a chunk.", header(4, 796))
    yield blosc(
        "stored-nbytes-larger", "The content is stored uncompressed, and the header states a larger size.", header(4, 804), "clevel-0"
    )
    yield blosc("nbytes-huge", "The header states a content size of 4 GiB.", header(4, 0xFFFFFFFF))
    yield blosc("format-version", "The version of the format does not exist.", put(0, b"\x63"))
    yield blosc("compressor", "The compressor does not exist.", flip(2, 0b110_00000))
    yield blosc("block-start-beyond-end", "The first block starts beyond the end.", header(16, 5000))
    yield blosc("block-start-negative", "The first block starts at a negative offset.", header(16, 0xFFFFFFF0))
    yield blosc("stream-too-long", "A stream is longer than the chunk.", header(20, 5000))
    yield blosc("stream-negative", "A stream has a negative length.", header(20, 0xFFFFFFF0))
    yield blosc("not-compressed", "The content is not compressed at all.", become(bytes(800)))


def sizes():
    """Yields values that are valid for the compressor, but are not the content of a chunk."""
    for name, make in [("gzip", gzip_member), ("zstd", zstd_frame)]:
        counterpart = f"codec/{name}/zarr-python-level-" + {"gzip": "5", "zstd": "3"}[name]
        for label, about, length in [
            ("too-short", "one byte too few", 199),
            ("too-long", "one byte too many", 201),
            ("nothing", "nothing", 0),
            ("half", "half of a chunk", 100),
        ]:
            about = f"The compression is correct, but its content is {about}."
            yield Damage(f"size-{name}-{label}", "chunk/size", counterpart, about, become(make(bytes(length))))
    skippable = "The only frame is skippable, and has no content."
    frame = bytes.fromhex("502a4d18") + u32(5) + b"hello"
    yield Damage(
        "size-zstd-skippable-only", "chunk/size", "codec/zstd/zarr-python-skippable-frame", skippable, become(frame)
    )
    two = "The second of two members is missing."
    yield Damage("size-gzip-second-member-missing", "chunk/size", "codec/gzip/zarr-python-two-members", two,
                 become(gzip_member(bytes(70))))  # fmt: skip
