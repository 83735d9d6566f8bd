"""The regular chunk grid, and the two chunk key encodings."""

from .document import DROP, Raw, array, named, regular, rule


def add_rules():
    regular_grid()
    key_encodings()


def regular_grid():
    def bad(id, about, refuse, accept):
        rule(f"regular-{id}", about, array(chunk_grid=refuse), array(chunk_grid=accept))

    def chunks(id, about, value, accept):
        bad(id, about, named("regular", chunk_shape=value), named("regular", chunk_shape=accept))

    bad("short-hand", "A regular grid needs a configuration, which a bare name does not have.", "regular", regular(2, 3))
    bad("no-configuration", "A regular grid has no configuration.", {"name": "regular"}, regular(4, 6))
    bad("empty-configuration", "A regular grid's configuration has no chunk shape.",
        {"name": "regular", "configuration": {}}, regular(2, 3))
    bad("extra-configuration", "A regular grid's configuration has a member that is not defined.",
        named("regular", chunk_shape=[2, 3], order="C"), regular(2, 3))
    chunks("zero", "A chunk has length 0; the counterpart's chunks have length 1.", [0, 3], [1, 3])
    chunks("negative", "A chunk has a negative length.", [2, -3], [2, 3])
    chunks("fraction", "A chunk's length has a fraction, even if it is zero.", [2, Raw("3.0")], [2, 3])
    chunks("exponent", "A chunk's length is written with an exponent.", [Raw("2e0"), 3], [2, 3])
    chunks("string", "A chunk's length is a string.", ["2", 3], [2, 3])
    chunks("boolean", "A chunk's length is a boolean.", [True, 3], [1, 3])
    chunks("null", "The chunk shape is null.", None, [2, 3])
    chunks("number", "The chunk shape is one number for all dimensions.", 2, [2, 2])
    chunks("rank-too-small", "The chunk shape has fewer dimensions than the array.", [2], [2, 100])
    chunks("rank-too-large", "The chunk shape has more dimensions than the array.", [2, 3, 1], [5, 7])
    rule("regular-zero-in-empty-array", "A chunk has length 0 in a dimension in which the array also has length 0.",
         array(shape=[0, 6], chunk_grid=regular(0, 3)), array(shape=[0, 6], chunk_grid=regular(1, 3)))
    rule("regular-rank-of-scalar", "An array without dimensions has a chunk shape with one.",
         array(shape=[], chunk_grid=regular(1)), array(shape=[], chunk_grid=regular()))


def key_encodings():
    for name, own, other in (("default", "/", "."), ("v2", ".", "/")):
        def bad(id, about, refuse, accept):
            rule(f"{name}-keys-{id}", about, array(chunk_key_encoding=refuse), array(chunk_key_encoding=accept))

        bad("separator-other", "The separator is neither a slash nor a dot.",
            named(name, separator="-"), named(name, separator=own))
        bad("separator-empty", "The separator is empty.", named(name, separator=""), named(name, separator=other))
        bad("separator-null", "The separator is null; the counterpart omits it.",
            named(name, separator=None), {"name": name, "configuration": {}})
        bad("extra-configuration", "The configuration has a member that is not defined.",
            named(name, separator=own, suffix=".bin"), named(name, separator=own))
        bad("separator-beside-name", "The separator is next to the name instead of in the configuration.",
            {"name": name, "separator": other}, named(name, separator=other))
        rule(f"{name}-keys-separator-not-string", "The separator is a list.",
             array(chunk_key_encoding=named(name, separator=[own])),
             array(chunk_key_encoding=named(name, separator=DROP)))
