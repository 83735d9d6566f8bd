"""The valid fill values of each data type, and the valid names of raw data types."""

from .document import LITTLE, Raw, array, named, rule

BYTES = named("bytes")
CODECS = {"string": [named("vlen-utf8")], "bytes": [named("vlen-bytes")]} | dict.fromkeys(("bool", "int8", "uint8"), [BYTES])


def filled(data_type, value):
    """Returns an array of a data type with codecs that support it."""
    codecs = [BYTES] if data_type.lower().startswith("r") else CODECS.get(data_type, [LITTLE])
    return array(data_type=data_type, fill_value=value, codecs=codecs)


def fill(family, id, about, data_type, refuse, accept):
    rule(f"fill-{family}-{id}", about, filled(data_type, refuse), filled(data_type, accept))


def add_rules():
    booleans()
    integers()
    floats()
    complexes()
    raw_bits()
    variable_length()


def booleans():
    fill("bool", "zero", "The number 0 is not a boolean.", "bool", 0, False)
    fill("bool", "string", "A string is not a boolean.", "bool", "true", True)
    fill("bool", "null", "Null is not a boolean.", "bool", None, False)
    fill("bool", "array", "A list is not a boolean.", "bool", [True], True)


def integers():
    fill("integer", "fraction", "The value has a fraction, even if it is zero.", "int32", Raw("0.0"), 0)
    fill("integer", "exponent", "The value is written with an exponent.", "int32", Raw("1e3"), 1000)
    fill("integer", "half", "The value is not an integer.", "int64", 0.5, 0)
    fill("integer", "string", "The value is a string of digits.", "int32", "1", 1)
    fill("integer", "boolean", "The value is a boolean.", "int32", True, 1)
    fill("integer", "null", "The value is null.", "int32", None, 0)
    fill("integer", "array", "The value is a list.", "uint8", [0], 0)
    fill("integer", "object", "The value is an object.", "uint8", {}, 0)
    fill("integer", "nan", "Integers have no NaN.", "int16", "NaN", -32768)
    fill("integer", "hexadecimal", "Only floating-point numbers can be written as bits.", "uint16", "0x0001", 1)
    for bits in (8, 16, 32, 64):
        signed, unsigned = 2 ** (bits - 1), 2**bits
        for data_type, lowest, highest in ((f"int{bits}", -signed, signed - 1), (f"uint{bits}", 0, unsigned - 1)):
            fill("integer", f"{data_type}-too-large", f"The value is one more than the largest of {data_type}.",
                 data_type, highest + 1, highest)
            fill("integer", f"{data_type}-too-small", f"The value is one less than the smallest of {data_type}.",
                 data_type, lowest - 1, lowest)


def floats():
    def bad(id, about, refuse, accept, data_type="float32"):
        fill("float", id, about, data_type, refuse, accept)

    bad("plus-infinity", "Positive infinity is written without a sign.", "+Infinity", "Infinity")
    bad("inf", "Infinity is not abbreviated.", "-inf", "-Infinity", "float64")
    bad("infinity-lower-case", "Infinity starts with a capital.", "infinity", "Infinity", "float16")
    bad("nan-lower-case", "NaN has two capitals.", "nan", "NaN")
    bad("minus-nan", "NaN has no sign; other NaNs are written as bits.", "-NaN", "0xffc00000")
    bad("string-of-number", "A number is written as a string.", "1.5", 1.5)
    bad("empty-string", "The string is empty.", "", 0)
    bad("boolean", "The value is a boolean.", True, 1, "float64")
    bad("null", "The value is null.", None, Raw("-0.0"), "float64")
    bad("array", "The value is a list.", [0], Raw("1E-3"), "float16")
    bad("hex-too-short", "There are fewer digits than the data type needs.", "0x7fc0", "0x7fc00001")
    bad("hex-too-short-float64", "A NaN of 64 bits is written with 32 bits.", "0x7fc00000", "0x7ff8000000000001", "float64")
    bad("hex-too-long", "There are more digits than the data type needs.", "0x07fc00000", "0x7FC00000")
    bad("hex-too-long-float16", "A NaN of 16 bits is written with 32 bits.", "0x00007e01", "0x7e01", "float16")
    bad("hex-upper-case-prefix", "The prefix has a capital.", "0X7fc00001", "0x7FC00001")
    bad("hex-without-prefix", "The prefix is missing.", "7fc00001", "0x7fc00001")
    bad("hex-without-digits", "Nothing follows the prefix.", "0x", "0x00000000")
    bad("hex-bad-digit", "One of the digits is not hexadecimal.", "0x7fc0000g", "0x7fc0000f")
    bad("hex-sign-before", "There is a sign before the prefix.", "-0x7fc00001", "0xffc00001")
    bad("hex-sign-within", "There is a sign in place of the first digit.", "0x+fc00001", "0x0fc00001")
    bad("white-space", "A space follows the name.", "NaN ", "NaN")


def complexes():
    def bad(id, about, refuse, accept, data_type="complex64"):
        fill("complex", id, about, data_type, refuse, accept)

    bad("scalar", "The value is one number.", 0, [0, 0])
    bad("string", "The value is one string.", "NaN", ["NaN", "NaN"])
    bad("one-component", "The imaginary part is missing.", [0], [0, 0], "complex128")
    bad("three-components", "There is a third part.", [0, 0, 0], [1, -2], "complex128")
    bad("empty", "Both parts are missing.", [], [0.5, Raw("-0.0")])
    bad("object", "The parts are members of an object.", {"re": 0, "im": 0}, [0, 0])
    bad("null", "The value is null.", None, ["-Infinity", "NaN"])
    bad("component-boolean", "A part is a boolean.", [0, True], [0, 1])
    bad("component-null", "A part is null.", [None, 0], [0, 0], "complex128")
    bad("component-string", "A part is a string of digits.", ["1.5", 0], [1.5, 0])
    bad("component-infinity", "The infinity of a part has a plus sign.", [0, "+Infinity"], [0, "Infinity"], "complex128")
    bad("component-hex-of-whole", "A part has the bits of the whole value.",
        ["0x7fc000017fc00001", 0], ["0x7fc00001", 0])
    bad("component-array", "A part is a list.", [[0, 0], 0], [0, "0x80000000"])


def raw_bits():
    def bad(id, about, refuse, accept=(0, 255)):
        fill("raw", id, about, "r16", refuse, list(accept))

    bad("too-few", "There are fewer numbers than bytes.", [0])
    bad("too-many", "There are more numbers than bytes.", [0, 0, 0])
    bad("one-per-bit", "There is a number for each bit instead of for each byte.", [0] * 16)
    bad("empty", "There are no numbers.", [])
    bad("above-255", "A number does not fit a byte.", [0, 256])
    bad("negative", "A number is negative.", [-1, 0], [255, 0])
    bad("fraction", "A number has a fraction, even if it is zero.", [Raw("0.0"), 0])
    bad("string-entry", "A number is a string.", ["0", 0])
    bad("number", "The value is a number instead of a list.", 0)
    bad("null", "The value is null.", None)

    def data_type(id, about, name, fill_value, accept="r8", accept_fill=(0,)):
        rule(f"data-type-raw-{id}", about, filled(name, fill_value), filled(accept, list(accept_fill)))

    data_type("0", "Raw data have at least one byte.", "r0", [])
    data_type("12", "The number of bits is a multiple of eight.", "r12", [0, 0], "r24", (1, 2, 3))
    data_type("1", "The number of bits is a multiple of eight.", "r1", [0])
    data_type("letter-after", "A letter follows the number of bits.", "r8x", [0])
    data_type("plus-sign", "There is a sign before the number of bits.", "r+8", [0])
    data_type("negative", "The number of bits is negative.", "r-8", [0])
    data_type("without-bits", "The number of bits is missing.", "r", [0])
    data_type("star", "The placeholder of the specification is in place of the number of bits.", "r*", [0])
    data_type("upper-case", "The letter is a capital.", "R8", [0], "r64", range(8))


def variable_length():
    fill("string", "number", "A number is not text.", "string", 0, "0")
    fill("string", "null", "Null is not text; the counterpart's text is empty.", "string", None, "")
    fill("string", "array", "A list is not text.", "string", ["a"], "a")
    fill("bytes", "number", "A number is not a byte string.", "bytes", 0, [0])
    fill("bytes", "null", "Null is not a byte string; the counterpart's is empty.", "bytes", None, "")
    fill("bytes", "not-base64", "The string is not base64; the counterpart's is.", "bytes", "!!!!", "AAEC")
    fill("bytes", "cut-base64", "The base64 text lacks its last character.", "bytes", "AAE", "AAEC")
    fill("bytes", "below-0", "A number is negative.", "bytes", [-1], [1])
    fill("bytes", "above-255", "A number does not fit a byte.", "bytes", [0, 256], [0, 255])
