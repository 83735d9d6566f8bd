"""Converts the elements of an array to JSON, each in the form of a fill value of its data type.

The text is exact: non-canonical NaNs and negative zero are written as hexadecimal bit patterns, so that two arrays are
equal if and only if their texts are.
"""

import base64

import numpy

NOT_A_TIME = numpy.iinfo("int64").min
USUAL_NAN = {"float16": "0x7e00", "bfloat16": "0x7fc0", "float32": "0x7fc00000", "float64": "0x7ff8000000000000"}


def to_json(elements):
    """Returns a list of the elements in C order. `elements` is a numpy array or a single element."""
    if isinstance(elements, (str, bytes)):
        return [text_to_json(elements)]
    flat = numpy.asarray(elements).ravel()
    return [form_of(flat.dtype)(element) for element in flat]


def form_of(dtype):
    if dtype.fields:
        return lambda element: text_to_json(element.tobytes())
    if dtype.kind in "OSTU":
        return text_to_json
    if dtype.kind == "b":
        return bool
    if dtype.kind == "c":
        return complex_to_json
    if dtype.kind in "mM":
        return time_to_json
    if dtype.kind == "V" and dtype.name.startswith("void"):
        return raw_to_json
    if dtype.kind in "iu" or dtype.name in ("int2", "int4"):
        return int
    return float_to_json


def text_to_json(element):
    return base64.b64encode(element).decode() if isinstance(element, bytes) else str(element)


def raw_to_json(element):
    return list(element.tobytes())


def time_to_json(element):
    ticks = int(element.astype("int64"))
    return "NaT" if ticks == NOT_A_TIME else ticks


def complex_to_json(element):
    return [float_to_json(element.real), float_to_json(element.imag)]


def float_to_json(element):
    if numpy.isnan(element) or (element == 0 and numpy.signbit(element)):
        bits = hexadecimal(element)
        return "NaN" if bits == USUAL_NAN.get(element.dtype.name) else bits
    if numpy.isinf(element):
        return "Infinity" if element > 0 else "-Infinity"
    return shortest(element)


def hexadecimal(element):
    big_endian = numpy.asarray(element).view(f"<u{element.dtype.itemsize}").astype(f">u{element.dtype.itemsize}")
    return "0x" + big_endian.tobytes().hex()


def shortest(element):
    """Returns the number with the fewest digits that reads back as the element."""
    if element.dtype.name in ("float16", "float32", "float64"):
        number = float(numpy.format_float_scientific(element, unique=True))
    else:
        number = float(element)
    if element.dtype.type(number) != element:
        raise ValueError(f"{element!r} is not read back from {number}")
    return number


def from_json(values, dtype):
    """Returns the elements that `to_json` wrote, in one dimension, bit for bit."""
    if dtype.kind in "OT":
        elements = numpy.empty(len(values), object)
        elements[:] = [base64.b64decode(value) if dtype.kind == "O" else value for value in values]
        return elements.astype(dtype)
    if dtype.kind == "c":
        parts = from_json([part for value in values for part in value], numpy.dtype(f"f{dtype.itemsize // 2}"))
        return parts.view(dtype)
    if dtype.kind in "mM":
        return numpy.array([NOT_A_TIME if value == "NaT" else value for value in values], "int64").view(dtype)
    if dtype.kind == "V" and dtype.name.startswith("void"):
        return numpy.frombuffer(bytes(byte for value in values for byte in value), dtype)
    if dtype.kind in "biuU" or dtype.name in ("int2", "int4"):
        return numpy.array(values, dtype)
    return numpy.array([float_bits(value, dtype) for value in values], f"u{dtype.itemsize}").view(dtype)


def float_bits(value, dtype):
    """Returns the bits of a float without arithmetic, which could change a NaN."""
    if value == "NaN":
        value = USUAL_NAN.get(dtype.name, value)
    if isinstance(value, str) and value.startswith("0x"):
        return int(value, 16)
    return int(numpy.array(float(value)).astype(dtype).view(f"u{dtype.itemsize}"))
