"""Golden arrays for extensions outside the core specification: codecs named numcodecs.*, and data types of the peers.

    python numcodecs_.py

zarr-python writes these codecs with numcodecs, a separate project: `case.json` names both. The name of this file ends in
an underscore so that it does not hide the package of that name.
"""

import importlib.metadata

import ml_dtypes
import numpy

import with_clause
from case import BIG, BYTES, LITTLE, TENSORSTORE, ZARR_PYTHON, Case, extension, ramp
from codecs_ import compressible


def cases():
    yield from checksums()
    yield from compressors()
    yield from filters()
    yield from lossy_filters()
    yield from serializers()
    yield from chains()
    yield from data_types()


def registered(name, label, about, elements, codecs, chunk_shape=(2, 3)):
    return Case(
        "codec",
        f"numcodecs.{name}",
        label,
        about,
        elements,
        codecs=codecs,
        chunk_shape=chunk_shape,
        writers=ZARR_PYTHON,
    )


def bytes_codec(name, label, about, dtype="uint16", **configuration):
    """Returns arrays with a bytes -> bytes codec whose elements compress partly."""
    codecs = [BYTES if dtype == "uint8" else LITTLE, numcodec(name, **configuration)]
    return registered(name, label, about, compressible(dtype, 75).reshape(15, 5), codecs, chunk_shape=(10, 3))


def numcodec(name, **configuration):
    """Adds an empty configuration, which zarr-python requires."""
    return {"name": f"numcodecs.{name}", "configuration": configuration}


def checksums():
    for name, about in [("crc32", "CRC-32"), ("adler32", "Adler-32"), ("crc32c", "CRC-32C")]:
        for location in ("start", "end"):
            where = f"{about} at the {location} of each chunk."
            yield bytes_codec(name, location, where, location=location)
    yield bytes_codec("crc32", "plain", "No location is given: the default is the start.")
    yield bytes_codec("fletcher32", "plain", "Chunks of an even number of bytes.")
    yield bytes_codec("fletcher32", "uint8", "Elements of one byte.", dtype="uint8")
    yield bytes_codec("jenkins_lookup3", "plain", "No configuration.")
    yield bytes_codec("jenkins_lookup3", "initval", "Another initial value.", initval=7)


def compressors():
    for level in (1, 9):
        for name in ("zlib", "bz2", "gzip"):
            yield bytes_codec(name, f"level-{level}", f"Level {level}.", level=level)
        yield bytes_codec("zstd", f"level-{level}", f"Level {level}.", level=level)
    yield bytes_codec("zstd", "checksum", "With a checksum in the frame.", level=3, checksum=True)
    yield bytes_codec("lz4", "plain", "No configuration.")
    yield bytes_codec("lz4", "acceleration-5", "Acceleration 5.", acceleration=5)
    yield bytes_codec("lzma", "plain", "No configuration: the format is XZ.")
    yield bytes_codec("lzma", "alone", "The old format, without checks.", format=2, preset=1)
    raw = [{"id": 3, "dist": 2}, {"id": 33, "preset": 1}]
    yield bytes_codec(
        "lzma", "raw", "Raw, by a list of filters, of which the first takes differences.", format=3, filters=raw
    )
    for label, about, options in [
        ("plain", "No configuration.", {}),
        ("zstd-bitshuffle", "Compressor zstd, shuffle 2.", {"cname": "zstd", "clevel": 3, "shuffle": 2}),
        ("zlib-noshuffle", "Compressor zlib, shuffle 0.", {"cname": "zlib", "clevel": 9, "shuffle": 0}),
    ]:
        yield bytes_codec("blosc", label, about, dtype="int32", **options)


def filters():
    for size, dtype in [(2, "int16"), (4, "float32"), (8, "float64")]:
        about = f"Elements of {size} bytes."
        yield bytes_codec("shuffle", f"elementsize-{size}", about, dtype=dtype, elementsize=size)
    about = "The element size is not that of the elements."
    yield bytes_codec("shuffle", "other-elementsize", about, dtype="int32", elementsize=2)
    for dtype, short in [("int32", "<i4"), ("uint8", "|u1"), ("float64", "<f8")]:
        about = f"Differences of {dtype}."
        yield array_codec("delta", dtype, about, ramp(dtype, (3, 5)) ** 2, dtype=short)
    about = "Differences stored in fewer bytes than the elements have."
    yield array_codec("delta", "astype", about, ramp("int32", (3, 5)), BYTES, dtype="<i4", astype="|i1")
    elements = numpy.array([[True, False, True, True, False], [False] * 5, [True] * 5])
    codec = numcodec("packbits")
    about = "Eight bools per byte, the first in the highest bit."
    yield registered("packbits", "plain", about, elements, [codec, BYTES])
    about = "Integers stored as integers of fewer bytes."
    elements = ramp("int32", (3, 5))
    yield array_codec("astype", "int32-int8", about, elements, BYTES, encode_dtype="|i1", decode_dtype="<i4")


def array_codec(name, label, about, elements, after=LITTLE, **configuration):
    return registered(name, label, about, elements, [numcodec(name, **configuration), after])


def lossy_filters():
    """Returns arrays whose elements the lossy codecs store exactly."""
    eighths = ramp("float64", (3, 5)) / 8
    about = "Numbers that need no more bits than are preserved."
    for dtype, short in [("float32", "<f4"), ("float64", "<f8")]:
        elements = eighths.astype(dtype)
        yield array_codec("bitround", dtype, about, elements, keepbits=6)
        yield array_codec("quantize", dtype, about, elements, digits=3, dtype=short)
    about = "Numbers stored as integers."
    scaled = {"offset": 1, "scale": 8, "dtype": "<f8", "astype": "|u1"}
    yield array_codec("fixedscaleoffset", "float64-uint8", about, 1 + eighths, BYTES, **scaled)
    about = "Integers with an offset, stored in as many bytes."
    elements = ramp("int32", (3, 5))
    yield array_codec("fixedscaleoffset", "int32", about, elements, offset=10, scale=1, dtype="<i4")


def serializers():
    """Returns arrays of floats: zfp always loses the lowest bits of integers."""
    for dtype in ("int32", "uint64", "float32", "float64", "int16"):
        codec = numcodec("pcodec", level=8, mode_spec="auto")
        elements = ramp(dtype, (3, 5))
        about = f"Elements of {dtype}."
        yield registered("pcodec", dtype, about, elements, [codec])
    for label, about, dtype, options in [
        ("accuracy-float32", "Mode 4, no error allowed.", "float32", {"mode": 4, "tolerance": 0.0}),
        ("accuracy-float64", "Mode 4, no error allowed.", "float64", {"mode": 4, "tolerance": 0.0}),
        ("rate-float64", "Mode 2, as many bits as an element has.", "float64", {"mode": 2, "rate": 64.0}),
    ]:
        codec = numcodec("zfpy", **options)
        yield registered("zfpy", label, about, ramp(dtype, (3, 5)), [codec])


def chains():
    shuffle, zlib = numcodec("shuffle", elementsize=4), numcodec("zlib", level=5)
    fletcher = numcodec("fletcher32")
    about = "Shuffled, compressed, and with a checksum, as HDF5 does it."
    elements = compressible("int32", 75).reshape(15, 5)
    codecs = [BIG, shuffle, zlib, fletcher]
    yield registered("fletcher32", "hdf5-chain", about, elements, codecs, chunk_shape=(10, 3))
    lz4 = numcodec("lz4", acceleration=1)
    index = [LITTLE, extension("crc32c")]
    inner = {"chunk_shape": [5, 3], "codecs": [LITTLE, lz4], "index_codecs": index, "index_location": "end"}
    shard = extension("sharding_indexed", **inner)
    yield registered("lz4", "sharded", "In shards.", elements, [shard], chunk_shape=(10, 3))


def data_types():
    fields = [["x", "int16"], ["y", "float64"]]
    structured = extension("structured", fields=fields)
    elements = numpy.array([(1, 0.5), (-2, numpy.inf), (3, -1.5)], [("x", "<i2"), ("y", "<f8")])
    yield Case(
        "data_type",
        "structured",
        "two-fields",
        "Elements of two fields without padding.",
        elements,
        data_type=structured,
        chunk_shape=(2,),
        fill_value="AAAAAAAAAAAAAA==",
        codecs=[LITTLE],
        writers=ZARR_PYTHON,
    )
    yield Case(
        "data_type",
        "null_terminated_bytes",
        "three-bytes",
        "Byte strings of at most three bytes, shorter ones padded with zeros.",
        numpy.array([b"a", b"bcd", b"", b"x\0y"], "S3"),
        data_type=extension("null_terminated_bytes", length_bytes=3),
        chunk_shape=(3,),
        fill_value="",
        codecs=[BYTES],
        writers=ZARR_PYTHON,
    )
    yield Case(
        "data_type",
        "float8_e4m3fn",
        "every-byte",
        "Each of the 256 bytes but NaN. The name is not registered.",
        numpy.delete(numpy.arange(256, dtype="uint8"), [0x7F, 0xFF]).view(ml_dtypes.float8_e4m3fn),
        writers=TENSORSTORE,
    )


def clause(case):
    if case.name.startswith("float8_"):
        return "data-type/small-floats"
    point = "data-type" if case.point == "data_type" else "registered"
    return f"{point}/{case.name.replace('.', '-').replace('_', '-')}"


def main():
    with_clause.stop_clock()
    all_cases = list(cases())
    numcodecs = f" with numcodecs {importlib.metadata.version('numcodecs')}"
    for case in all_cases:
        with_package = numcodecs if case.name.startswith("numcodecs.") else ""
        with_clause.write(clause(case), case, "numcodecs_.py", with_package)
    print(f"{len(all_cases)} cases written")


if __name__ == "__main__":
    main()
