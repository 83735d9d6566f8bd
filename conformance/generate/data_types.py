"""Golden arrays for the data types: the ends of each range, unusual values, and fill values."""

import base64
import json

import ml_dtypes
import numpy

from case import BIG, BYTES, LITTLE, TENSORSTORE, ZARR_PYTHON, Case, extension, from_bits, objects

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
# Sign bit, lowest normal number, highest finite number, infinity, usual NaN, highest NaN payload.
FLOATS = {
    "float16": (0x8000, 0x0400, 0x7BFF, 0x7C00, 0x7E00, 0x7FFF),
    "float32": (0x80000000, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7FFFFFFF),
    "float64": (1 << 63, 1 << 52, 0x7FEFFFFFFFFFFFFF, 0x7FF << 52, 0x7FF8 << 48, (1 << 63) - 1),
}
SMALL = {
    "int2": ml_dtypes.int2,
    "int4": ml_dtypes.int4,
    "float4_e2m1fn": ml_dtypes.float4_e2m1fn,
    "float8_e3m4": ml_dtypes.float8_e3m4,
    "float8_e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "float8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}


def cases():
    yield from bools()
    yield from integers()
    yield from floats()
    yield from complex_numbers()
    yield from small_numbers()
    yield from texts()
    yield from byte_strings()
    yield from raw_bits()
    yield from times()


def data_type_case(name, label, about, elements, **given):
    return Case("data_type", name, label, about, elements, **given)


def unwritten(name, label, about, dtype, fill, fill_value, **given):
    """Returns arrays without stored chunks, of which a reader sees only the fill value."""
    elements = numpy.full(3, fill, dtype)
    return data_type_case(name, label, about, elements, fill_value=fill_value, **given)


def bools():
    values = numpy.array([True, False, False, True, True])
    yield data_type_case("bool", "values", "Both values, in two chunks.", values, chunk_shape=(3,))
    yield unwritten("bool", "fill-true", "No chunk is stored; the fill value is true.", "?", True, True)


def integers():
    for name in INTEGERS:
        ends = numpy.iinfo(name)
        values = [ends.min, ends.min + 1, 0, 1, ends.max // 3, ends.max - 1, ends.max]
        elements = numpy.array(values, name)
        about = f"The ends of the range of {name}; the last chunk extends beyond the edge."
        yield data_type_case(name, "extremes", about, elements, chunk_shape=(4,), fill_value=1)
        lowest = int(ends.min) or int(ends.max)
        about = f"No chunk is stored; the fill value is {lowest}, an end of the range."
        yield unwritten(name, "fill-extreme", about, name, lowest, lowest)


def odd_floats(name):
    sign, normal, highest, infinity, nan, payload = FLOATS[name]
    positive = [0, 1, normal - 1, normal, highest, infinity, nan, nan + 1, infinity + 1, payload]
    return from_bits(name, positive + [bits | sign for bits in positive])


def floats():
    for name in FLOATS:
        yield data_type_case(
            name,
            "odd-values",
            "Zeros, subnormal numbers, ends of the range, infinities, and NaN with several payloads, of both signs.",
            odd_floats(name),
            chunk_shape=(8,),
        )
        yield data_type_case(
            name,
            "numbers",
            "Numbers that are not exact in binary; the fill value is NaN and the second chunk contains nothing else.",
            numpy.array([0.1, -1 / 3, 1000.5, 6e-5, numpy.nan, numpy.nan, numpy.nan, numpy.nan, 2], name),
            chunk_shape=(4,),
            fill_value="NaN",
        )
        yield from float_fills(name)


def float_fills(name):
    sign, normal, highest, infinity, nan, payload = FLOATS[name]
    digits = numpy.dtype(name).itemsize * 2
    for label, bits, fill_value in [
        ("fill-infinity", infinity, "Infinity"),
        ("fill-minus-infinity", infinity | sign, "-Infinity"),
        ("fill-minus-zero", sign, -0.0),
        ("fill-number", from_bits(name, [0]).dtype.type(0.1).view(f"u{digits // 2}"), 0.1),
    ]:
        about = f"No chunk is stored; the fill value was given as {json.dumps(fill_value)}."
        yield unwritten(name, label, about, name, from_bits(name, [bits])[0], fill_value)
    about = "No chunk is stored; the fill value is a NaN with a payload, written in hexadecimal."
    fill_value = f"0x{nan + 1:0{digits}x}"
    yield unwritten(name, "fill-nan-payload", about, name, from_bits(name, [nan + 1])[0], fill_value, writers=TENSORSTORE)
    about = "No chunk is stored; the fill value is a signalling NaN, which arithmetic would make quiet."
    fill_value = f"0x{infinity + 1:0{digits}x}"
    yield unwritten(
        name, "fill-nan-signalling", about, name, from_bits(name, [infinity + 1])[0], fill_value, writers=TENSORSTORE
    )


def complex_numbers():
    for name, part in [("complex64", "float32"), ("complex128", "float64")]:
        odd = odd_floats(part).view(name)
        about = f"Pairs of {part} with zeros, subnormal numbers, infinities and NaN with several payloads."
        yield data_type_case(name, "odd-values", about, odd, chunk_shape=(4,))
        fill = numpy.array([complex(1.5, numpy.inf)], name)[0]
        about = "The first chunk is stored, the second is not; the fill value has an infinite part."
        elements = numpy.array([1 + 2j, -0.5j, 3, fill, fill, fill], name)
        yield data_type_case(name, "fill", about, elements, chunk_shape=(3,), fill_value=[1.5, "Infinity"])


def small_numbers():
    for name, dtype in SMALL.items():
        codes = numpy.arange(256, dtype="u1")
        if name in ("int2", "int4"):
            top = {"int2": 2, "int4": 8}[name]
            elements = numpy.arange(-top, top).astype("i1").astype(dtype)
        else:
            elements = codes[: 16 if name.startswith("float4") else 256].view(dtype)
        about = f"Every bit pattern of {name}, one to a byte."
        yield data_type_case(name, "all-values", about, elements, data_type=name, codecs=[BYTES], writers=TENSORSTORE)
    bits = [0, 1, 0x7F, 0x80, 0x3F80, 0x3DCD, 0x7F7F, 0x7F80, 0x7FC0, 0x7FC1, 0x8000, 0xBF80, 0xFF80]
    about = "Zeros, a subnormal number, the end of the range, infinities and NaN of bfloat16."
    elements = from_bits(ml_dtypes.bfloat16, bits)
    for label, endian in [("odd-values-little", LITTLE), ("odd-values-big", BIG)]:
        yield data_type_case("bfloat16", label, about, elements, codecs=[endian], writers=TENSORSTORE)


TEXTS = ["", "a", "héllo", "日本語", "🦀", "a\0b", "line\nbreak", 'quote"', "x" * 40]


def texts():
    given = {"data_type": "string", "codecs": [extension("vlen-utf8")], "writers": ZARR_PYTHON}
    yield data_type_case(
        "string",
        "values",
        "Empty text, several lengths of UTF-8, a zero character; the last chunk extends beyond the edge.",
        objects(TEXTS),
        chunk_shape=(4,),
        fill_value="",
        **given,
    )
    yield data_type_case(
        "string",
        "fill",
        "The second chunk is not stored; the fill value is not empty.",
        objects(["a", "b", "né", "né"]),
        chunk_shape=(2,),
        fill_value="né",
        **given,
    )
    yield data_type_case(
        "string", "rank-0", "A single text.", objects(["alone"], ()), fill_value="", **given
    )
    for label, endian in [("little", LITTLE), ("big", BIG)]:
        yield data_type_case(
            "fixed_length_utf32",
            label,
            "Texts of at most three characters, shorter ones padded with zeros.",
            numpy.array(["", "a", "日本語", "🦀é"], "<U3"),
            data_type=extension("fixed_length_utf32", length_bytes=12),
            fill_value="",
            codecs=[endian],
            writers=ZARR_PYTHON,
        )


def byte_strings():
    given = {"data_type": "bytes", "codecs": [extension("vlen-bytes")], "writers": ZARR_PYTHON}
    called = " The peer calls the data type variable_length_bytes and writes the fill value in base64."
    yield data_type_case(
        "bytes",
        "values",
        "Empty strings, zero bytes, bytes that are not UTF-8." + called,
        objects([b"", b"\0", b"\xff\xfe", b"a\0", bytes(range(32)), b"", b"end"]),
        chunk_shape=(4,),
        fill_value="",
        **given,
    )
    yield data_type_case(
        "bytes",
        "fill",
        "The second chunk is not stored; the fill value is not empty." + called,
        objects([b"a", b"b", b"\0\1", b"\0\1"]),
        chunk_shape=(2,),
        fill_value="AAE=",
        **given,
    )


def raw_bits():
    for size in (1, 2, 3, 8):
        elements = numpy.arange(1, 6 * size + 1, dtype="u1").view(f"V{size}")
        fill = bytes([255] + [0] * (size - 1))
        elements[2:4] = numpy.void(fill)
        given = {
            "data_type": extension("raw_bytes", length_bytes=size),
            "fill_value": base64.b64encode(fill).decode(),
            "chunk_shape": (2,),
            "codecs": [BYTES],
            "writers": ZARR_PYTHON,
        }
        about = f"Elements of {size} bytes; the second chunk is not stored."
        spelled = " The peer's own spelling of the data type, with the fill value in base64."
        yield data_type_case("raw_bytes", f"{size}-bytes", about + spelled, elements, **given)
        respelled = " The fill value is a list of integers, one to a byte."
        yield data_type_case(f"r{size * 8}", "values", about + respelled, elements, edit=respell_raw_bytes, **given)


def respell_raw_bytes(array):
    """Returns arrays of r<N>. No peer writes them from Python; zarr-python's raw_bytes has the same chunks."""
    path = array / "zarr.json"
    metadata = json.loads(path.read_text())
    metadata["data_type"] = f"r{metadata['data_type']['configuration']['length_bytes'] * 8}"
    metadata["fill_value"] = list(base64.b64decode(metadata["fill_value"]))
    path.write_text(json.dumps(metadata, indent=2))
    return "data type and fill value rewritten by the generator"


def times():
    lowest = numpy.iinfo("int64").min
    ticks = numpy.array([0, 1, -1, lowest, 1_700_000_000_000, lowest + 1, lowest, lowest], "int64")
    for kind in ("datetime64", "timedelta64"):
        yield data_type_case(
            f"numpy.{kind}",
            "milliseconds",
            "Ticks of a millisecond, including NaT, which is also the fill value.",
            ticks.view(f"{kind}[ms]"),
            data_type=extension(f"numpy.{kind}", unit="ms", scale_factor=1),
            chunk_shape=(3,),
            fill_value=int(lowest),
            writers=ZARR_PYTHON,
        )
        yield data_type_case(
            f"numpy.{kind}",
            "ten-days-big-endian",
            "Ticks of ten days, big endian.",
            ticks[:4].view(f"{kind}[10D]"),
            data_type=extension(f"numpy.{kind}", unit="D", scale_factor=10),
            fill_value=0,
            codecs=[BIG],
            writers=ZARR_PYTHON,
        )
