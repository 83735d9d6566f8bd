"""Golden arrays for the codecs. The name ends in an underscore so that the file does not hide Python's own module."""

import gzip

import numpy
from numcodecs.zstd import Zstd

from case import BIG, BYTES, CRC32C, LITTLE, TENSORSTORE, ZARR_PYTHON, Case, extension, objects, ramp

COMPRESSORS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
SHUFFLES = ["noshuffle", "shuffle", "bitshuffle"]


def cases():
    yield from plain_bytes()
    yield from transposes()
    yield from gzips()
    yield from zstds()
    yield from bloscs()
    yield from checksums()
    yield from shards()
    yield from variable_lengths()


def codec_case(name, label, about, elements, codecs, **given):
    return Case("codec", name, label, about, elements, codecs=codecs, **given)


def plain_bytes():
    for dtype in ("int16", "uint32", "float64", "complex64", "complex128"):
        for label, codec in [("little", LITTLE), ("big", BIG)]:
            about = f"Elements of {dtype} stored {label} endian; the last chunks extend beyond the edge."
            yield codec_case("bytes", f"{label}-{dtype}", about, ramp(dtype, (3, 5)), [codec], chunk_shape=(2, 3))
    about = "The codec has no configuration, as elements of one byte need none."
    yield codec_case("bytes", "no-configuration", about, ramp("uint8", (3, 5)), [BYTES], chunk_shape=(2, 3))


def transposes():
    for shape, chunk_shape, order in [
        ((), (), []),
        ((5,), (2,), [0]),
        ((3, 5), (2, 3), [0, 1]),
        ((3, 5), (2, 3), [1, 0]),
        ((3, 4, 5), (2, 3, 5), [1, 2, 0]),
        ((3, 4, 5), (2, 3, 5), [2, 0, 1]),
        ((3, 4, 5), (2, 3, 5), [0, 2, 1]),
        ((3, 4, 5), (2, 3, 5), [2, 1, 0]),
        ((2, 3, 4, 3), (2, 2, 3, 1), [3, 1, 0, 2]),
    ]:
        label = "order-" + ("-".join(map(str, order)) or "none")
        about = f"Order {order} with chunks of shape {list(chunk_shape)}."
        codecs = [extension("transpose", order=order), LITTLE]
        yield codec_case("transpose", label, about, ramp("uint16", shape), codecs, chunk_shape=chunk_shape)
    twice = [extension("transpose", order=[1, 2, 0]), extension("transpose", order=[0, 2, 1]), BIG]
    about = "Two consecutive transpositions before big-endian bytes."
    yield codec_case("transpose", "twice", about, ramp("int32", (3, 4, 5)), twice, chunk_shape=(2, 3, 4))


def compressible(dtype, length):
    """Returns a slow ramp with a little noise, which compresses partly."""
    steps = numpy.arange(length)
    return (steps // 3 + steps * steps * 7919 % 5).astype(dtype)


def gzips():
    elements = compressible("uint16", 150)
    for level in (0, 1, 5, 9):
        codecs = [LITTLE, extension("gzip", level=level)]
        yield codec_case("gzip", f"level-{level}", f"Level {level}.", elements, codecs, chunk_shape=(100,))
    yield codec_case(
        "gzip",
        "two-members",
        "Each chunk is two consecutive gzip members that together contain the bytes of the chunk.",
        elements,
        [LITTLE, extension("gzip", level=5)],
        chunk_shape=(100,),
        writers=ZARR_PYTHON,
        edit=split_gzip,
    )


def zstds():
    elements = compressible("uint16", 150)
    for level in (-5, 0, 3, 19):
        for checksum in (False, True):
            label = f"level-{level}" + ("-checksum" if checksum else "")
            about = f"Level {level}, {'with' if checksum else 'without'} a checksum in the frame."
            codecs = [LITTLE, extension("zstd", level=level, checksum=checksum)]
            yield codec_case("zstd", label, about, elements, codecs, chunk_shape=(100,))
    for label, about, edit in [
        ("two-frames", "Each chunk is two frames that together contain the bytes of the chunk.", split_zstd),
        ("skippable-frame", "A skippable frame comes before the frame of each chunk.", prepend_skippable_frame),
        ("no-content-size", "The frames do not state their content size.", drop_content_size),
    ]:
        yield codec_case(
            "zstd",
            label,
            about,
            elements,
            [LITTLE, extension("zstd", level=3, checksum=False)],
            chunk_shape=(100,),
            writers=ZARR_PYTHON,
            edit=edit,
        )


def split_gzip(array):
    def split(chunk):
        content = gzip.decompress(chunk)
        return gzip.compress(content[:70], mtime=0) + gzip.compress(content[70:], mtime=0)

    return re_encode(array, split)


def split_zstd(array):
    def split(chunk):
        content = Zstd().decode(chunk)
        return Zstd(level=3).encode(content[:70]) + Zstd(level=3).encode(content[70:])

    return re_encode(array, split)


def prepend_skippable_frame(array):
    frame = bytes.fromhex("502a4d18") + (5).to_bytes(4, "little") + b"hello"
    return re_encode(array, lambda chunk: frame + chunk)


def drop_content_size(array):
    """Replaces the content size by a window descriptor: the blocks of a frame depend on neither."""

    def drop(chunk):
        magic, descriptor = chunk[:4], chunk[4]
        size_length = {0: 1, 1: 2, 2: 4, 3: 8}[descriptor >> 6]
        if descriptor & 0b111111 != 0b100000:
            raise ValueError(f"not a single segment without checksum and dictionary: {descriptor:08b}")
        smallest_window = bytes([0])
        return magic + bytes([0]) + smallest_window + chunk[5 + size_length :]

    return re_encode(array, drop)


def re_encode(array, change):
    for path in sorted((array / "c").iterdir()):
        path.write_bytes(change(path.read_bytes()))
    return "chunks re-encoded by the generator"


def blosc(compressor="lz4", level=5, shuffle="shuffle", typesize=4, blocksize=0):
    return extension(
        "blosc", cname=compressor, clevel=level, shuffle=shuffle, typesize=typesize, blocksize=blocksize
    )


def blosc_case(label, about, dtype, length, codec, **given):
    codecs = [BYTES if dtype == "uint8" else LITTLE, codec]
    return codec_case("blosc", label, about, compressible(dtype, length), codecs, **given)


def bloscs():
    for shuffle in SHUFFLES:
        for compressor in COMPRESSORS:
            about = f"Compressor {compressor}, {shuffle}, elements of four bytes."
            codec = blosc(compressor, shuffle=shuffle)
            yield blosc_case(f"{compressor}-{shuffle}", about, "int32", 260, codec, chunk_shape=(200,))
        about = f"Compressor snappy, {shuffle}, elements of four bytes."
        codec = blosc("snappy", shuffle=shuffle)
        yield blosc_case(
            f"snappy-{shuffle}", about, "int32", 260, codec, chunk_shape=(200,), writers=TENSORSTORE
        )
    for dtype, typesize in [("uint8", 1), ("int16", 2), ("float64", 8), ("complex128", 16)]:
        for shuffle in SHUFFLES[1:]:
            about = f"Elements of {typesize} bytes, {shuffle}."
            codec = blosc("lz4", shuffle=shuffle, typesize=typesize)
            yield blosc_case(f"typesize-{typesize}-{shuffle}", about, dtype, 300, codec, writers=ZARR_PYTHON)
    yield from odd_bloscs()


def odd_bloscs():
    for label, about, dtype, length, codec in [
        ("clevel-0", "Level 0: the content is stored uncompressed.", "int32", 200, blosc(level=0)),
        ("clevel-9", "Level 9.", "int32", 200, blosc("zstd", level=9)),
        ("tiny", "A content of a few bytes, which is stored uncompressed.", "int32", 3, blosc()),
        ("blocks", "Several blocks, the last one shorter.", "int32", 300, blosc(blocksize=512)),
        ("blocks-bitshuffle", "Several blocks.", "int32", 300, blosc(shuffle="bitshuffle", blocksize=512)),
        ("other-typesize", "A type size that is not the size of an element.", "int32", 200, blosc(typesize=3)),
    ]:
        yield blosc_case(label, about, dtype, length, codec)


def checksums():
    elements = compressible("uint16", 60)
    for label, about, codecs in [
        ("after-bytes", "A checksum after the bytes of each chunk.", [LITTLE, CRC32C]),
        ("twice", "A checksum over the bytes and their checksum.", [LITTLE, CRC32C, CRC32C]),
        ("before-gzip", "The checksum is compressed with the bytes.", [LITTLE, CRC32C, extension("gzip", level=5)]),
        ("after-gzip", "The checksum is over the compressed bytes.", [LITTLE, extension("gzip", level=5), CRC32C]),
    ]:
        yield codec_case("crc32c", label, about, elements, codecs, chunk_shape=(40,))


def sharding(chunk_shape, codecs, location="end", index_codecs=(LITTLE, CRC32C)):
    return extension(
        "sharding_indexed",
        chunk_shape=list(chunk_shape),
        codecs=codecs,
        index_codecs=list(index_codecs),
        index_location=location,
    )


def shard_case(label, about, codecs, elements=None, chunk_shape=(4, 4), **given):
    elements = ramp("uint16", (6, 8)) if elements is None else elements
    return codec_case("sharding_indexed", label, about, elements, codecs, chunk_shape=chunk_shape, **given)


def shards():
    yield from shard_indexes()
    yield from shard_contents()
    yield from shard_shapes()


def shard_indexes():
    for label, about, options in [
        ("index-end", "The index is at the end of the shard.", {}),
        ("index-start", "The index is at the start of the shard.", {"location": "start"}),
        ("index-no-checksum", "The index has no checksum.", {"index_codecs": [LITTLE]}),
        ("index-big-endian", "The index is big endian.", {"index_codecs": [BIG, CRC32C]}),
        ("index-start-big-endian", "A big-endian index at the start without a checksum.",
         {"location": "start", "index_codecs": [BIG]}),
        ("index-transposed", "The index is transposed.",
         {"index_codecs": [extension("transpose", order=[2, 1, 0]), LITTLE, CRC32C]}),
        ("index-two-checksums", "The index has two checksums.", {"index_codecs": [LITTLE, CRC32C, CRC32C]}),
    ]:  # fmt: skip
        yield shard_case(label, about + " Some inner chunks extend beyond the edge.", [sharding((2, 2), [LITTLE], **options)])


def shard_contents():
    for label, about, codecs in [
        ("inner-gzip", "Inner chunks compressed with gzip.", [LITTLE, extension("gzip", level=5)]),
        ("inner-zstd", "Inner chunks compressed with zstd.", [LITTLE, extension("zstd", level=0, checksum=False)]),
        ("inner-blosc", "Inner chunks compressed with blosc.", [LITTLE, blosc("zstd", typesize=2)]),
        ("inner-crc32c", "Inner chunks with a checksum.", [BIG, CRC32C]),
        ("inner-transpose", "Inner chunks transposed.", [extension("transpose", order=[1, 0]), LITTLE]),
    ]:
        yield shard_case(label, about, [sharding((2, 4), codecs)])
    sparse = ramp("uint16", (6, 8))
    sparse[:2, :6] = sparse[4:, 4:] = 7
    about = "Inner chunks and a whole shard are not stored, because they contain only the fill value."
    yield shard_case("missing-chunks", about, [sharding((2, 2), [LITTLE])], sparse, fill_value=7)
    about = "Inner chunks that contain only the fill value are stored."
    yield shard_case("stored-fill", about, [sharding((2, 2), [LITTLE])], sparse, fill_value=7, store_fill=True)
    about = "No shard is stored."
    nothing = numpy.full((6, 8), 7, "uint16")
    yield shard_case("missing-shards", about, [sharding((2, 2), [LITTLE])], nothing, fill_value=7)


def shard_shapes():
    nested = sharding((4, 4), [sharding((2, 2), [LITTLE])])
    about = "Shards inside shards; some inner shards are not stored."
    sparse = ramp("uint16", (8, 12))
    sparse[:4, :4] = 0
    sparse[4:6, 6:8] = 0
    yield shard_case("nested", about, [nested], sparse, chunk_shape=(8, 8))
    nested = sharding((4, 4), [sharding((2, 2), [LITTLE], location="start")], index_codecs=[BIG])
    about = "Shards inside shards; the inner index is at the start, the outer one at the end and big endian."
    yield shard_case("nested-mixed-index", about, [nested], sparse, chunk_shape=(8, 8))
    about = "Inner chunks of one element in a shard of rank 1."
    yield shard_case("one-element-chunks", about, [sharding((1,), [LITTLE])], ramp("uint16", (5,)), chunk_shape=(3,))
    about = "One inner chunk in each shard."
    yield shard_case("one-chunk", about, [sharding((4, 4), [LITTLE])])
    about = "A shard that is larger than the array."
    yield shard_case("larger-than-array", about, [sharding((2, 2), [LITTLE])], chunk_shape=(16, 16))
    about = "A shard of rank 0, with one inner chunk."
    single = numpy.array(7, "uint16")
    yield shard_case("rank-0", about, [sharding((), [LITTLE])], single, chunk_shape=(), writers=TENSORSTORE)
    about = "Rank 3 with inner chunks transposed and compressed."
    inner = [extension("transpose", order=[2, 0, 1]), LITTLE, extension("zstd", level=3, checksum=False)]
    yield shard_case("rank-3", about, [sharding((1, 2, 3), inner)], ramp("uint16", (3, 5, 7)), chunk_shape=(2, 4, 6))
    about = "The whole shard is transposed; the inner chunk shape is that of the transposed shard."
    outer = [extension("transpose", order=[1, 0]), sharding((2, 4), [LITTLE])]
    yield shard_case("outer-transpose", about, outer)
    about = "The whole shard is compressed."
    outer = [sharding((2, 2), [LITTLE]), extension("gzip", level=5)]
    yield shard_case("outer-gzip", about, outer, writers=ZARR_PYTHON)
    about = "The whole shard has a checksum after its index."
    yield shard_case("outer-crc32c", about, [sharding((2, 2), [LITTLE]), CRC32C], writers=ZARR_PYTHON)


def variable_lengths():
    """Returns arrays without a transpose: zarr-python 3.1.6 stores transposed chunks in the wrong order."""
    texts = objects(["", "a", "né", "日本語", "🦀", "x" * 30], (2, 3))
    strings = objects([b"", b"\0", b"\xff\0", b"abc", b"d" * 30, b"e"], (2, 3))
    for name, data_type, elements in [("vlen-utf8", "string", texts), ("vlen-bytes", "bytes", strings)]:
        inner = [extension(name), extension("zstd", level=0, checksum=False)]
        for label, about, codecs, chunk_shape in [
            ("plain", "Elements of several lengths, none included.", [extension(name)], (2, 2)),
            ("zstd", "Lengths and contents are compressed together.", inner, (2, 2)),
            ("sharded", "Inner chunks of one element, compressed.", [sharding((1, 1), inner)], (2, 2)),
        ]:
            yield codec_case(
                name,
                label,
                about,
                elements,
                codecs,
                data_type=data_type,
                fill_value="",
                chunk_shape=chunk_shape,
                writers=ZARR_PYTHON,
            )
