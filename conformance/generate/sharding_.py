"""Golden arrays for forms of sharding that codecs_.py does not cover: chains in and around shards, data types, and gaps.

python sharding_.py
"""

import google_crc32c
import numpy

import with_clause
from case import BIG, BYTES, CRC32C, LITTLE, TENSORSTORE, ZARR_PYTHON, Case, extension, objects, ramp
from codecs_ import blosc, sharding

GZIP = extension("gzip", level=5)
ZSTD = extension("zstd", level=3, checksum=False)
ZSTD_CHECKED = extension("zstd", level=3, checksum=True)
MISSING = 2**64 - 1


def cases():
    yield from indexes()
    yield from inner_chains()
    yield from outer_chains()
    yield from nested()
    yield from holes()
    yield from shapes()
    yield from data_types()
    yield from variable_lengths()
    yield from layouts()


def shard_case(clause, label, about, codecs, elements=None, chunk_shape=(4, 4), **given):
    elements = ramp("uint16", (6, 8)) if elements is None else elements
    case = Case("codec", "sharding_indexed", label, about, elements, codecs=codecs, chunk_shape=chunk_shape, **given)
    return "codecs/decoding-order" if clause == "decoding-order" else f"codec/sharding/{clause}", case


def indexes():
    for label, about, codec in [
        ("index-start-no-checksum", "at the start, without a checksum", sharding((2, 2), [LITTLE], "start", [LITTLE])),
        ("index-start-two-checksums", "at the start, with two checksums",
         sharding((2, 2), [LITTLE], "start", [LITTLE, CRC32C, CRC32C])),
        ("index-start-transposed", "at the start, transposed",
         sharding((2, 2), [LITTLE], "start", [extension("transpose", order=[1, 2, 0]), BIG, CRC32C])),
        ("index-big-endian-no-checksum", "at the end, big endian, without a checksum",
         sharding((2, 2), [LITTLE], "end", [BIG])),
    ]:  # fmt: skip
        yield shard_case("index-location", label, f"The index is {about}.", [codec])


def inner_chains():
    for label, chain in [
        ("gzip", [LITTLE, GZIP]),
        ("zstd", [LITTLE, ZSTD]),
        ("blosc", [LITTLE, blosc("lz4", typesize=2)]),
        ("crc32c", [LITTLE, CRC32C]),
        ("transpose", [extension("transpose", order=[1, 0]), LITTLE]),
    ]:
        about = f"Inner chunks with {label}, in a shard with its index at the start."
        yield shard_case("inner-codecs", f"index-start-inner-{label}", about, [sharding((2, 2), chain, "start")])
    for label, about, chain in [
        ("big-endian", "Inner chunks in big endian.", [BIG]),
        ("gzip-crc32c", "Inner chunks compressed, with a checksum over that.", [LITTLE, GZIP, CRC32C]),
        ("crc32c-zstd", "Inner chunks with a checksum, compressed.", [LITTLE, CRC32C, ZSTD]),
        ("zstd-checksum", "Inner chunks in zstd frames with checksums.", [LITTLE, ZSTD_CHECKED]),
        ("blosc-bitshuffle", "Inner chunks in blosc, bitshuffle.", [LITTLE, blosc("zstd", 5, "bitshuffle", 2)]),
        ("all", "Inner chunks transposed, in big endian, compressed twice, with a checksum.",
         [extension("transpose", order=[1, 0]), BIG, GZIP, ZSTD, CRC32C]),
    ]:  # fmt: skip
        yield shard_case("inner-codecs", f"inner-{label}", about, [sharding((2, 2), chain)])


def outer_chains():
    """Returns arrays with codecs after the sharding codec, which only zarr-python writes."""
    plain = sharding((2, 2), [LITTLE])
    for label, about, chain in [
        ("outer-zstd", "The whole shard is compressed with zstd.", [plain, ZSTD]),
        ("outer-blosc", "The whole shard is compressed with blosc.", [plain, blosc("lz4", typesize=2)]),
        ("outer-gzip-crc32c", "The whole shard is compressed, with a checksum over that.", [plain, GZIP, CRC32C]),
        ("outer-gzip-index-start", "The whole shard is compressed; its index is at the start.",
         [sharding((2, 2), [LITTLE], "start"), GZIP]),
        ("outer-and-inner-gzip", "The shard and its inner chunks are compressed.",
         [sharding((2, 2), [LITTLE, GZIP]), GZIP]),
    ]:  # fmt: skip
        yield shard_case("decoding-order", label, about, chain, writers=ZARR_PYTHON)
    swap, turn = extension("transpose", order=[1, 0]), extension("transpose", order=[2, 0, 1])
    about = "Transposed before the shard, which has its index at the start."
    codecs = [swap, sharding((2, 2), [LITTLE], "start")]
    yield shard_case("decoding-order", "outer-transpose-index-start", about, codecs)
    about = "Transposed before the shard and once more within it."
    yield shard_case("decoding-order", "outer-and-inner-transpose", about, [swap, sharding((2, 2), [swap, LITTLE])])
    about = "Transposed before the shard by an order that is not its own inverse."
    codecs = [turn, sharding((2, 2, 2), [LITTLE])]
    elements = ramp("uint16", (3, 5, 7))
    yield shard_case("decoding-order", "outer-transpose-rank-3", about, codecs, elements, (4, 4, 4))


def nested():
    elements = ramp("uint16", (8, 12))
    elements[:4, :4] = 0
    elements[4:6, 6:8] = 0
    inner = sharding((2, 2), [LITTLE])
    for label, about, codecs in [
        ("nested-inner-gzip", "Shards in shards; the innermost chunks are compressed.",
         [sharding((4, 4), [sharding((2, 2), [LITTLE, GZIP])])]),
        ("nested-index-start", "Shards in shards, with all indexes at the start.",
         [sharding((4, 4), [sharding((2, 2), [LITTLE], "start")], "start")]),
        ("nested-no-checksums", "Shards in shards, whose indexes have no checksums.",
         [sharding((4, 4), [sharding((2, 2), [LITTLE], "end", [LITTLE])], "end", [LITTLE])]),
        ("nested-transpose", "A transposition between two levels of shards.",
         [sharding((4, 4), [extension("transpose", order=[1, 0]), inner])]),
        ("nested-three", "Shards in shards in shards.",
         [sharding((4, 4), [sharding((2, 2), [sharding((1, 2), [LITTLE])])])]),
    ]:  # fmt: skip
        yield shard_case("inner-codecs", label, about, codecs, elements, (8, 8))
    codecs = [sharding((4, 4), [inner, GZIP])]
    about = "The inner shards are compressed as a whole."
    yield shard_case("inner-codecs", "nested-inner-shards-gzip", about, codecs, elements, (8, 8), writers=ZARR_PYTHON)


def holes():
    elements = numpy.full((6, 8), -9, "int32")
    elements[1, 1] = 5
    elements[4:, 4:] = ramp("int32", (2, 4))
    plain = [sharding((2, 2), [LITTLE])]
    about = "Inner chunks and a whole shard that contain only the fill value are not stored."
    yield shard_case("index-entries", "fill-inner-chunks", about, plain, elements, fill_value=-9)
    about = "The same, with the index at the start and compressed inner chunks."
    codecs = [sharding((2, 2), [LITTLE, ZSTD], "start")]
    yield shard_case("index-entries", "fill-inner-chunks-start", about, codecs, elements, fill_value=-9)
    about = "Inner chunks that contain only the fill value are still stored."
    yield shard_case("index-entries", "stored-fill-gzip", about, [sharding((2, 2), [LITTLE, GZIP])], elements,
                     fill_value=-9, store_fill=True)  # fmt: skip
    about = "No shard is stored."
    yield shard_case("index-entries", "nothing-stored", about, plain, numpy.full((6, 8), -9, "int32"), fill_value=-9)
    numbers = numpy.full((6, 8), numpy.nan, "float32")
    numbers[0, 0] = numbers[5, 7] = 1.5
    about = "The fill value is NaN."
    yield shard_case("index-entries", "fill-nan", about, plain, numbers, fill_value="NaN")
    zeros = numpy.zeros((6, 8), "float64")
    zeros[:2, :2] = -0.0
    zeros[5, 5] = 1
    about = "The fill value is zero, which is not negative zero."
    yield shard_case("index-entries", "negative-zero", about, plain, zeros, writers=TENSORSTORE)


def shapes():
    for label, about, shape, shard_shape, inner in [
        ("rank-1", "Rank 1; the last shard extends beyond the edge by whole inner chunks.", (9,), (8,), (2,)),
        ("rank-4", "Rank 4.", (3, 2, 3, 2), (2, 2, 4, 2), (1, 2, 2, 1)),
        ("empty", "No elements and no shards.", (0, 4), (4, 4), (2, 2)),
        ("one-element-shards", "Shards of one element.", (2, 2), (1, 1), (1, 1)),
        ("wide", "Inner chunks that are whole rows of a shard.", (5, 6), (4, 6), (1, 6)),
    ]:
        yield shard_case("divides", label, about, [sharding(inner, [LITTLE])], ramp("uint16", shape), shard_shape)
    about = "A shard of rank 0, with one inner chunk and its index at the start."
    single = numpy.array(7, "uint16")
    codecs = [sharding((), [LITTLE, GZIP], "start")]
    yield shard_case("divides", "rank-0-index-start", about, codecs, single, (), writers=TENSORSTORE)
    about = "A shard of rank 0 that is not stored."
    yield shard_case("divides", "rank-0-missing", about, codecs, single * 0, (), writers=TENSORSTORE)


def data_types():
    odd = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 0.1] * 5)
    for name, elements in [
        ("bool", numpy.arange(30) % 3 == 1),
        ("int8", numpy.arange(-15, 15)),
        ("float16", odd),
        ("float64", odd),
        ("complex64", odd + 1j * odd[::-1]),
        ("uint64", numpy.arange(30, dtype="uint64") * (2**64 // 31)),
    ]:
        elements = elements.astype(name).reshape(5, 6)
        chain = [BYTES if elements.itemsize == 1 else BIG]
        about = f"Elements of {name}."
        yield shard_case("inner-codecs", name, about, [sharding((2, 2), chain)], elements, store_fill=True)


def variable_lengths():
    """Returns arrays that only zarr-python writes."""
    texts = objects(["", "a", "né", "日本語", "🦀", "x" * 30, "", "", "", "", "b", ""], (3, 4))
    for label, about, codec in [
        ("strings", "Texts; inner chunks that contain only empty texts are not stored.",
         sharding((1, 2), [extension("vlen-utf8")])),
        ("strings-index-start", "Compressed texts; the index is at the start.",
         sharding((1, 2), [extension("vlen-utf8"), GZIP], "start")),
        ("strings-nested", "Texts in shards in shards.",
         sharding((1, 2), [sharding((1, 1), [extension("vlen-utf8")])])),
    ]:  # fmt: skip
        yield shard_case("inner-codecs", label, about, [codec], texts, (2, 2),
                         data_type="string", fill_value="", writers=ZARR_PYTHON)  # fmt: skip
    about = "Texts; the fill value is not among those that are stored."
    filled = numpy.where(texts == "", "none", texts).astype(object)
    codecs = [sharding((1, 2), [extension("vlen-utf8")])]
    yield shard_case("index-entries", "strings-fill", about, codecs, filled, (2, 2),
                     data_type="string", fill_value="none", writers=ZARR_PYTHON)  # fmt: skip
    strings = objects([b"", b"\0", b"\xff", b"abc", b"", b"", b"", b"d"], (2, 4))
    about = "Byte strings; inner chunks that contain only empty ones are not stored."
    codecs = [sharding((1, 2), [extension("vlen-bytes"), CRC32C])]
    yield shard_case("inner-codecs", "byte-strings", about, codecs, strings, (2, 2),
                     data_type="bytes", fill_value="", writers=ZARR_PYTHON)  # fmt: skip


def layouts():
    """Returns shards with gaps or in another order: both are valid, but no peer writes them."""
    for label, about, arrange in [
        ("gaps", "There are unused bytes before each inner chunk.", lambda chunks: [(b"unused", c) for c in chunks]),
        ("reversed", "The inner chunks are in reverse order.", lambda chunks: [(b"", c) for c in chunks[::-1]]),
    ]:
        edit = lambda array, arrange=arrange: rearrange(array, arrange)  # noqa: E731
        codecs = [sharding((2, 2), [LITTLE])]
        yield shard_case("inner-order", label, about, codecs, writers=ZARR_PYTHON, edit=edit)


def rearrange(array, arrange):
    """Moves the inner chunks of each shard, whose index is at the end."""
    for path in sorted(p for p in (array / "c").rglob("*") if p.is_file()):
        shard = path.read_bytes()
        index = numpy.frombuffer(shard[-68:-4], "<u8").reshape(4, 2).copy()
        present = [i for i in range(4) if index[i, 0] != MISSING]
        chunks = [(i, shard[index[i, 0] :][: index[i, 1]]) for i in present]
        content = b""
        for unused, (i, chunk) in arrange(chunks):
            content += unused
            index[i, 0] = len(content)
            content += chunk
        encoded = index.tobytes()
        path.write_bytes(content + encoded + google_crc32c.value(encoded).to_bytes(4, "little"))
    return "inner chunks moved by the generator"


def main():
    with_clause.stop_clock()
    all_cases = list(cases())
    for clause, case in all_cases:
        with_clause.write(clause, case, "sharding_.py")
    print(f"{sum(len(case.writers) for _, case in all_cases)} cases written")


if __name__ == "__main__":
    main()
