"""Metadata documents are JSON as RFC 8259 defines it, UTF-8, and every name stands once."""

from .document import DROP, Pairs, Raw, array, document, group, named, rule, spliced


def add_rules():
    def bad(id, about, refuse, accept, node="array"):
        rule("json-" + id, about, refuse, accept, node, is_text=True)

    def note(value):
        return group(attributes={"note": value})

    # The whole document.
    good = document(array())
    bad("empty", "A document of no bytes is not a JSON text.", b"", group(), "group")
    bad("cut-short", "The closing brace is missing.", good.rstrip()[:-1], good)
    bad("byte-order-mark", "A byte order mark comes before the document.", b"\xef\xbb\xbf" + good, b"\r\n\t " + good)
    bad("utf-16", "The document is encoded as UTF-16.", document(group()).decode().encode("utf-16-le"), group(), "group")
    bad("trailing-garbage", "A word follows the document.", good + b"garbage\n", good + b"\r\n\t \n")
    bad("second-document", "A second document follows the first.", document(group()) * 2, group(), "group")
    bad("null-after-document", "A zero byte follows the document, as in a padded buffer.", good + b"\0", good + b"\n")
    rule("json-top-level-array", "The document is an array that holds the metadata object.",
         [array()], array())
    rule("json-top-level-string", "The document is a string.", b'"group"\n', group(), "group")
    rule("json-top-level-null", "The document is null.", b"null\n", group(attributes={}), "group")

    # Numbers.
    for id, token in (("bare-nan", "NaN"), ("bare-infinity", "Infinity"), ("bare-minus-infinity", "-Infinity")):
        bad(id, f"The fill value is the bare word {token}; JSON has no such number, the twin has the string.",
            array(data_type="float32", fill_value=Raw(token)), array(data_type="float32", fill_value=token))
    bad("bare-nan-in-attributes", "Attributes are free, but they too must be JSON, which has no NaN.",
        note(Raw("NaN")), note("NaN"), "group")
    bad("bare-nan-in-array-attributes", "Attributes of an array too must be JSON, which has no NaN.",
        array(attributes={"note": Raw("NaN")}), array(attributes={"note": "NaN"}))
    bad("leading-zero", "A number starts with a needless zero.", array(fill_value=Raw("01")), array(fill_value=1))
    bad("plus-sign", "A number has a plus sign.", array(fill_value=Raw("+1")), array(fill_value=-1))
    bad("no-digit-before-point", "A number starts with its decimal point.", note(Raw(".5")), note(Raw("0.5")), "group")
    bad("no-digit-after-point", "A number ends with its decimal point.", note(Raw("5.")), note(Raw("5.0E+01")), "group")
    bad("hexadecimal-number", "A number is written to base 16.",
        note(Raw("0x10")), note(Raw("123456789012345678901234567890.10")), "group")

    # Names that come twice.
    twice = Pairs(array().items())
    bad("duplicate-member", "A top-level member comes twice, with two values.",
        Pairs([*twice, ("fill_value", 1)]), array(attributes={"fill_value": 1}))
    bad("duplicate-member-same-value", "A top-level member comes twice, with the same value.",
        Pairs([*twice, ("fill_value", 0)]), array())
    bad("duplicate-in-configuration", "A member of a codec's configuration comes twice.",
        array(codecs=[{"name": "bytes", "configuration": Pairs([("endian", "little"), ("endian", "little")])}]), array())
    bad("duplicate-in-extension", "The name of a codec comes twice.",
        array(codecs=[Pairs([("name", "bytes"), *named("bytes", endian="big").items()])]),
        array(codecs=[named("bytes", endian="big")]))
    bad("duplicate-in-attributes", "Within the attributes, deep down, a member comes twice.",
        note([{"a": Pairs([("b", 1), ("c", 2), ("b", 3)])}]), note([{"a": {"b": 1, "c": 2}}, {"b": 3}]), "group")
    bad("duplicate-by-escape", "Two names differ as written and are the same once the escape is resolved.",
        group(attributes=Pairs([("a", 1), (Raw('"\\u0061"'), 2)])),
        group(attributes=Pairs([("a", 1), (Raw('"\\u0041"'), 2)])), "group")

    # Punctuation.
    bad("trailing-comma-in-object", "A comma follows the last member.",
        spliced(group(), '"group"\n', '"group",\n'), group(), "group")
    bad("trailing-comma-in-array", "A comma follows the last length.", array(shape=Raw("[4, 6,]")), array())
    bad("missing-comma", "No comma stands between two members.", spliced(array(), "3,\n  \"node", "3\n  \"node"), array())
    bad("line-comment", "A comment runs to the end of the line.",
        spliced(array(), "[4, 6],", "[4, 6], // rows, columns"), array(dimension_names=["// rows", "columns"]))
    bad("block-comment", "A comment stands between two members.",
        spliced(group(), "3,", "3, /* a group */"), note("/* a group */"), "group")
    bad("single-quotes", "A string stands in single quotes.",
        spliced(group(), '"group"', "'group'"), note("'group'"), "group")
    bad("unquoted-name", "The name of a member has no quotes.",
        spliced(group(), '"node_type"', "node_type"), group(attributes=DROP), "group")
    bad("upper-case-literal", "A literal is written with a capital.", note(Raw("True")), note(True), "group")
    bad("foreign-literal", "A literal of another language stands for null.", note(Raw("None")), note(None), "group")
    bad("cut-literal", "A literal is cut short.", note(Raw("nul")), note(Raw("null ")), "group")
    bad("form-feed", "A form feed stands between two members.",
        spliced(group(), "3,", "3,\f"), spliced(group(), "3,", "3,\r\n"), "group")
    bad("hash-comment", "A comment follows a number sign.",
        spliced(group(), "3,", "3, # a group"), note("# a group"), "group")
    bad("foreign-white-space", "A no-break space stands between two members.",
        spliced(group(), "3,", "3,\u00a0"), spliced(group(), "3,", "3\t,\r"), "group")

    # Strings.
    bad("raw-line-feed-in-string", "A string holds a line feed that is not escaped.",
        note(Raw('"two\nlines"')), note("two\nlines"), "group")
    bad("raw-null-in-string", "A string holds a zero byte that is not escaped.",
        note(Raw('"a\0b"')), note("a\0b\x7f"), "group")
    bad("unknown-escape", "A backslash stands before a letter that makes no escape.",
        note(Raw(r'"\x41"')), note(Raw(r'"\u0041\/\b\f"')), "group")
    bad("short-escape", "An escape has two hexadecimal digits in place of four.",
        note(Raw(r'"\u41"')), note(Raw(r'"\u00411"')), "group")
    for id, half in (("high", r"\ud83d"), ("low", r"\ude00")):
        bad(f"lone-{id}-surrogate", f"An escape gives the {id} half of a surrogate pair alone: no text can hold it.",
            note(Raw(f'"{half}"')), note(Raw(r'"\ud83d\ude00"')), "group")
    bad("surrogates-swapped", "Both halves of a surrogate pair are there, the low one first.",
        note(Raw(r'"\ude00\ud83d"')), note("\U0001f600"), "group")
    for id, broken, what in (
        ("latin-1", b"\xe9", "A letter is encoded as Latin-1."),
        ("overlong-utf-8", b"\xc0\xaf", "A character is encoded in more bytes than it needs."),
        ("utf-8-surrogate", b"\xed\xa0\x80", "Half of a surrogate pair is encoded as three bytes."),
        ("cut-utf-8", b"\xe2\x82", "The last byte of a character is missing."),
    ):
        bad(id, what, spliced(note("MARK"), "MARK", broken), note("\u00e9\u20ac"), "group")

    # Depth.
    def nested(depth):
        return group(attributes={"deep": Raw("[" * depth + "]" * depth)})

    rule("json-too-deep",
         "Arrays nested ten thousand deep in the attributes: a reader must give up with an error and not crash.",
         nested(10_000), nested(32), "group", is_text=True)
    rule("json-too-deep-objects",
         "Objects nested ten thousand deep in the attributes: a reader must give up with an error and not crash.",
         group(attributes=Raw('{"deep": ' * 10_000 + "0" + "}" * 10_000)),
         group(attributes=Raw('{"deep": ' * 32 + "0" + "}" * 32)), "group", is_text=True)
