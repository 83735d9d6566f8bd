"""`{name, configuration, must_understand}` at each extension point, for known and unknown names."""

from .document import CRC32C, DROP, LITTLE, array, named, regular, rule


def points():
    """Yields extension points: the name in ids, a function that returns a document with a given value there, and two valid
    values, the second a bare name where that is allowed."""
    separator = named("default", separator="/")
    yield "data-type", lambda e: array(data_type=e), {"name": "int32", "configuration": {}}, "int32"
    yield "chunk-grid", lambda e: array(chunk_grid=e), regular(2, 3), regular(2, 3) | {"must_understand": True}
    yield "chunk-key-encoding", lambda e: array(chunk_key_encoding=e), separator, "default"
    yield "codec", lambda e: array(codecs=[LITTLE, e]), {"name": "crc32c", "configuration": {}}, "crc32c"


def accepted(point, good, other, **members):
    """Returns the valid value as an object with these members. A core data type is always a bare name: the specification
    requires a string, and a reader may refuse an object."""
    return other if point == "data-type" else good | members


def add_rules():
    for point, make, good, other in points():
        the_shape(point, make, good, other)
        unknown_names(point, make, good, other)
    flags()
    transformers()
    names()


def the_shape(point, make, good, other):
    def bad(id, about, value, **members):
        rule(f"{point}-{id}", about, make(value), make(accepted(point, good, other, **members)))

    words = point.replace("-", " ")
    nameless = {member: value for member, value in good.items() if member != "name"}
    bad("name-missing", f"A {words} has no name.", nameless)
    bad("name-not-string", f"The name of a {words} is a list that contains the name.", good | {"name": [good["name"]]})
    bad("name-empty", f"The name of a {words} is empty.", good | {"name": ""})
    bad("configuration-null", f"The configuration of a {words} is null; it is an object or it is absent.",
        good | {"configuration": None})
    bad("configuration-array", f"The configuration of a {words} is a list.", good | {"configuration": []})
    bad("extra-member", f"A {words} has a member other than name, configuration and must_understand.",
        good | {"comment": "x"})
    bad("flag-not-boolean", f"The must_understand of a known {words} is a string.",
        good | {"must_understand": "true"}, must_understand=True)
    odd = {"data-type": 32, "chunk-grid": [2, 3], "chunk-key-encoding": None, "codec": [other]}[point]
    bad("not-an-extension", f"A {words} is neither a name nor an object.", odd)


def unknown_names(point, make, good, other):
    def bad(id, about, value, accept):
        rule(f"{point}-unknown{id}", about, make(value), make(accept))

    words = point.replace("-", " ")
    bad("", f"An unknown {words} is an object without must_understand.", {"name": "no-such-name"}, accepted(point, good, other))
    bad("-short-hand", f"An unknown {words} is a bare name.", "no-such-name", other)
    bad("-must-understand-true", f"An unknown {words} states that it must be understood.",
        {"name": "no-such-name", "must_understand": True}, accepted(point, good, other, must_understand=True))


def flags():
    for point, make, good, other in points():
        if point == "codec":
            continue
        words = point.replace("-", " ")
        rule(f"{point}-must-understand-false",
             f"The must_understand of a known {words} is false, which this extension point does not support.",
             make(good | {"must_understand": False}), make(accepted(point, good, other, must_understand=True)))
        rule(f"{point}-unknown-must-understand-false",
             f"An unknown {words} cannot be ignored, even if its must_understand is false.",
             make({"name": "no-such-name", "must_understand": False}), make(accepted(point, good, other)))

    def codecs(id, about, refuse, accept):
        rule(f"codec-{id}", about, array(codecs=refuse), array(codecs=accept))

    unknown = {"name": "no-such-codec", "must_understand": False}
    codecs("unknown-first", "An unknown codec precedes the others; in the counterpart it may be skipped.",
           ["no-such-codec", LITTLE], [unknown, LITTLE])
    codecs("unknown-uri", "The name of an unknown codec is a URI; in the counterpart it may be skipped.",
           [LITTLE, {"name": "https://codec.example/none"}],
           [LITTLE, {"name": "https://codec.example/none", "must_understand": False}])
    codecs("unknown-flag-not-boolean", "The must_understand of an unknown codec is the number 0.",
           [LITTLE, unknown | {"must_understand": 0}], [LITTLE, unknown])
    codecs("unknown-extra-member", "A codec that may be skipped must still have the form of an extension.",
           [LITTLE, unknown | {"comment": "x"}], [LITTLE, unknown | {"configuration": {"comment": "x"}}])
    codecs("unknown-configuration-null", "The configuration of a codec that may be skipped must still be an object.",
           [LITTLE, unknown | {"configuration": None}], [LITTLE, unknown | {"configuration": {"a": None}}])
    codecs("known-flag-false-bad-configuration", "A known codec is never skipped, so its configuration must be valid.",
           [LITTLE, named("gzip", level=10) | {"must_understand": False}],
           [LITTLE, named("gzip", level=9) | {"must_understand": False}])
    codecs("unknown-array-to-bytes-skipped",
           "When the unknown codec is skipped, no codec converts the array to bytes.",
           [{"name": "no-such-codec", "must_understand": False}],
           [{"name": "no-such-codec", "must_understand": False}, LITTLE])


def transformers():
    def bad(id, about, entry, accept):
        rule(f"storage-transformer-{id}", about,
             array(storage_transformers=[entry]), array(storage_transformers=accept))

    unknown = {"name": "no-such-transformer"}
    skipped = [unknown | {"must_understand": False}]
    bad("unknown", "An unknown storage transformer is an object without must_understand.", unknown, skipped)
    bad("unknown-short-hand", "An unknown storage transformer is a bare name.", "no-such-transformer", DROP)
    bad("unknown-must-understand-true", "An unknown storage transformer states that it must be understood.",
        unknown | {"must_understand": True}, skipped)
    bad("flag-not-boolean", "The must_understand of a storage transformer is a string.",
        unknown | {"must_understand": "false"}, skipped)
    bad("name-missing", "A storage transformer has no name, so its must_understand has no effect.",
        {"must_understand": False}, skipped)
    bad("name-not-string", "The name of a storage transformer is a number.",
        skipped[0] | {"name": 1}, [skipped[0] | {"name": "1"}])
    bad("name-empty", "The name of a storage transformer is empty.", skipped[0] | {"name": ""}, skipped)
    bad("not-an-extension", "A storage transformer is neither a name nor an object.", None, [])
    bad("configuration-null", "The configuration of a storage transformer is null.",
        skipped[0] | {"configuration": None}, [skipped[0] | {"configuration": {}}])
    bad("extra-member", "A storage transformer has a member other than name, configuration and must_understand.",
        skipped[0] | {"comment": "x"}, [skipped[0] | {"configuration": {"comment": "x"}}])


def names():
    for id, name in (("upper-case", "Int32"), ("space", " int32"), ("version-2", "<i4"), ("python", "int")):
        rule(f"data-type-name-{id}", f"Names are compared exactly, and no data type is called `{name}`.",
             array(data_type=name), array(data_type="int32"))
    rule("codec-name-upper-case", "Names are compared exactly, and no codec is called `Bytes`.",
         array(data_type="uint8", codecs=[named("Bytes")]), array(data_type="uint8", codecs=[named("bytes")]))
    rule("data-type-named-as-codec", "A name belongs to its extension point: a codec is not a data type.",
         array(data_type="transpose"), array(data_type="int32"))
    rule("chunk-grid-named-as-key-encoding", "A name belongs to its extension point: a key encoding is not a chunk grid.",
         array(chunk_grid=named("default", separator="/")), array(chunk_grid=regular(2, 3)))
    rule("codec-named-as-grid", "A name belongs to its extension point: a chunk grid is not a codec.",
         array(codecs=[LITTLE, regular(2, 3)]), array(codecs=[LITTLE, CRC32C]))
    rule("data-type-extra-configuration",
         "A data type that has no configuration is given one.",
         array(data_type=named("int32", endian="little")), array(data_type="int32"))
