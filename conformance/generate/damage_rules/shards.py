"""Damage to shards: to their indexes, to the values of entries, and to inner chunks."""

from .damage import Damage, crc32c, flip, keep, put, u64

MISSING = 2**64 - 1


def damages():
    yield from indexes()
    yield from entries()
    yield from truncated()
    yield from inner_chunks()


def shard(name, clause, about, change, counterpart="index-end", **given):
    counterpart = f"codec/sharding_indexed/zarr-python-{counterpart}"
    return Damage(f"sharding-{name}", f"codec/sharding/{clause}", counterpart, about, change, **given)


def indexes():
    """Yields damaged indexes. The index of four inner chunks has 64 bytes, and its checksum four."""

    def index(name, about, change, counterpart="index-end"):
        return shard(f"index-{name}", "index", about, change, counterpart)

    yield index("checksum-flipped", "A bit of the index's checksum is flipped.", flip(-1, 1))
    yield index("flipped", "A bit of the index is flipped, so its checksum is wrong.", flip(-68, 8))
    yield index("length-flipped", "A bit of a length is flipped, so the checksum is wrong.", flip(-12, 4))
    yield index(
        "start-checksum-flipped",
        "The index is at the start; a bit of its checksum is flipped.",
        flip(67, 1),
        "index-start",
    )
    yield index("start-flipped", "The index is at the start; a bit of it is flipped.", flip(0, 8), "index-start")
    yield index(
        "second-checksum-flipped", "The outer of two checksums is flipped.", flip(-1, 1), "index-two-checksums"
    )
    yield index("zero", "The index and its checksum are zero.", lambda value: value[:-68] + bytes(68))
    other = "The index is at the start instead of the end."
    yield index("at-other-end", other, lambda value: value[-68:] + value[:-68])
    order = "The index is little-endian instead of big-endian; its checksum is correct."
    yield index("other-byte-order", order, with_index(swap_bytes), "index-big-endian")
    nested = "The index of a shard within a shard has a wrong checksum."
    yield index("nested-checksum-flipped", nested, flip(-69, 1), "nested")


def with_index(change):
    """Changes an index at the end of the shard, and updates its checksum."""

    def changed(value):
        index = change(value[-68:-4])
        return value[:-68] + index + crc32c(index)

    return changed


def swap_bytes(index):
    return b"".join(index[i : i + 8][::-1] for i in range(0, 64, 8))


def entries():
    def entry(name, about, offset, length):
        """Changes entry 0 and updates the checksum; None keeps a number."""

        def change(old):
            new = old
            if offset is not None:
                new = put(0, u64(offset))(new)
            return new if length is None else put(8, u64(length))(new)

        return shard(f"entry-{name}", "index-entries", about, with_index(change))

    yield entry("offset-beyond-end", "An inner chunk starts beyond the end of the shard.", 1000, None)
    yield entry("offset-at-end", "An inner chunk starts at the end of the shard.", 100, None)
    yield entry("length-beyond-end", "An inner chunk ends beyond the end of the shard.", None, 1000)
    yield entry("last-byte-beyond-end", "An inner chunk ends one byte beyond the end of the shard.", 93, None)
    yield entry("overflow", "The sum of offset and length exceeds 64 bits.", MISSING - 1, None)
    yield entry("overflow-by-length", "The sum of offset and length exceeds 64 bits.", 8, MISSING - 1)
    yield entry("signed-overflow", "The offset exceeds 63 bits.", 2**63, None)
    yield entry(
        "offset-alone-missing",
        "The offset states that the inner chunk is missing, but the length does not.",
        MISSING,
        None,
    )
    yield entry(
        "length-alone-missing",
        "The length states that the inner chunk is missing, but the offset does not.",
        None,
        MISSING,
    )
    yield entry("length-zero", "An inner chunk is stored but empty.", None, 0)
    yield entry("length-too-short", "An inner chunk has one byte too few.", None, 7)
    yield entry("length-too-long", "An inner chunk has one byte too many.", None, 9)
    no_checksum = "An inner chunk starts beyond the end of the shard, whose index has no checksum."
    yield shard("entry-no-checksum", "index-entries", no_checksum, put(-64, u64(1000)), "index-no-checksum")


def truncated():
    def cut(name, about, change, counterpart="index-end", **given):
        return shard(f"truncated-{name}", "truncated", about, change, counterpart, **given)

    yield cut("empty", "The shard is stored but empty.", keep(0))
    yield cut("empty-index-start", "The shard, whose index is at the start, has no bytes.", keep(0), "index-start")
    yield cut(
        "empty-no-checksum", "The shard, whose index has no checksum, has no bytes.", keep(0), "index-no-checksum"
    )
    yield cut("shorter-than-index", "The shard is shorter than its index.", keep(40))
    yield cut("shorter-than-index-start", "The shard is shorter than its index at the start.", keep(67), "index-start")
    yield cut("shorter-than-index-no-checksum", "The shard is shorter than its index, which has no checksum.", keep(63),
              "index-no-checksum")  # fmt: skip
    alone = "There is only the index, which lists inner chunks."
    yield cut("index-alone", alone, lambda value: value[-36:], "inner-crc32c")
    yield cut("index-start-alone", "There is only the index at the start.", keep(68), "index-start")
    front = (
        "The first eight bytes are missing, so that inner chunks, which have checksums, are in the wrong place."
    )
    yield cut("front", front, lambda value: value[8:], "inner-crc32c")
    yield cut("last-byte", "The last byte is missing.", keep(-1))
    yield cut("last-inner-byte", "The index is at the start; the last byte of the last inner chunk is missing.",
              keep(-1), "index-start")  # fmt: skip
    yield cut("edge", "The last byte of a shard at the edge is missing.", keep(-1), key="c/1/1")


def inner_chunks():
    """Yields shards with valid indexes and damaged inner chunks, and shards damaged by a codec after sharding."""

    def inner(name, codec, about, change, counterpart):
        counterpart = f"codec/sharding_indexed/zarr-python-{counterpart}"
        clause = "codec/crc32c/checksum" if codec == "crc32c" else f"codec/{codec}/format"
        return Damage(f"sharding-{name}", clause, counterpart, about, change)

    yield inner("inner-crc32c-flipped", "crc32c", "A byte of an inner chunk is flipped.", flip(3), "inner-crc32c")
    yield inner("inner-gzip-magic", "gzip", "An inner chunk is not gzip.", flip(0, 1), "inner-gzip")
    shorter = "The entry of a compressed inner chunk is one byte too short."
    yield inner("inner-gzip-truncated", "gzip", shorter, shorten_first_of_two, "inner-gzip")
    yield inner("inner-zstd-magic", "zstd", "An inner chunk is not zstd.", flip(0, 1), "inner-zstd")
    yield inner("inner-blosc-version", "blosc", "An inner chunk is not blosc.", put(0, b"\x63"), "inner-blosc")
    outer = "The checksum of the whole shard is flipped."
    yield inner("outer-crc32c-flipped", "crc32c", outer, flip(-1, 1), "outer-crc32c")
    outer = "The whole shard is compressed, and truncated."
    yield inner("outer-gzip-truncated", "gzip", outer, keep(-9), "outer-gzip")


def shorten_first_of_two(value):
    """The index of two inner chunks has 32 bytes."""
    index = value[-36:-4]
    index = put(8, u64(int.from_bytes(index[8:16], "little") - 1))(index)
    return value[:-36] + index + crc32c(index)
