"""Metadata documents are JSON text as the grammar of RFC 8259 defines it, in UTF-8.

Repeated names, lone surrogates, a byte order mark and deep nesting are not cases: RFC 8259 lets a parser accept them."""

from .document import DROP, Raw, array, document, group, named, rule, spliced


def add_rules():
    def bad(id, about, refuse, accept, node="array"):
        rule("json-" + id, about, refuse, accept, node, is_text=True)

    def note(value):
        return group(attributes={"note": value})

    # The whole document.
    good = document(array())
    bad("empty", "An empty document is not a JSON text.", b"", group(), "group")
    bad("cut-short", "The closing brace is missing.", good.rstrip()[:-1], good)
    bad("utf-16", "The document is encoded as UTF-16.", document(group()).decode().encode("utf-16-le"), group(), "group")
    bad("trailing-garbage", "A word follows the document.", good + b"garbage\n", good + b"\r\n\t \n")
    bad("second-document", "A second document follows the first.", document(group()) * 2, group(), "group")
    bad("null-after-document", "A zero byte follows the document, as in a padded buffer.", good + b"\0", good + b"\n")
    rule("json-top-level-array", "The document is an array that contains the metadata object.",
         [array()], array())
    rule("json-top-level-string", "The document is a string.", b'"group"\n', group(), "group")
    rule("json-top-level-null", "The document is null.", b"null\n", group(attributes={}), "group")

    # Numbers.
    for id, token in (("bare-nan", "NaN"), ("bare-infinity", "Infinity"), ("bare-minus-infinity", "-Infinity")):
        bad(id, f"The fill value is the bare word {token}; JSON has no such number; the counterpart has the string.",
            array(data_type="float32", fill_value=Raw(token)), array(data_type="float32", fill_value=token))
    bad("bare-nan-in-attributes", "Attributes may contain anything, but must be JSON, which has no NaN.",
        note(Raw("NaN")), note("NaN"), "group")
    bad("bare-nan-in-array-attributes", "The attributes of an array must also be JSON, which has no NaN.",
        array(attributes={"note": Raw("NaN")}), array(attributes={"note": "NaN"}))
    bad("leading-zero", "A number has a leading zero.", array(fill_value=Raw("01")), array(fill_value=1))
    bad("plus-sign", "A number has a plus sign.", array(fill_value=Raw("+1")), array(fill_value=-1))
    bad("no-digit-before-point", "A number starts with its decimal point.", note(Raw(".5")), note(Raw("0.5")), "group")
    bad("no-digit-after-point", "A number ends with its decimal point.", note(Raw("5.")), note(Raw("5.0E+01")), "group")
    bad("hexadecimal-number", "A number is hexadecimal.",
        note(Raw("0x10")), note(Raw("123456789012345678901234567890.10")), "group")

    # Punctuation.
    bad("trailing-comma-in-object", "A comma follows the last member.",
        spliced(group(), '"group"\n', '"group",\n'), group(), "group")
    bad("trailing-comma-in-array", "A comma follows the last length.", array(shape=Raw("[4, 6,]")), array())
    bad("missing-comma", "There is no comma between two members.", spliced(array(), "3,\n  \"node", "3\n  \"node"), array())
    bad("line-comment", "A comment runs to the end of the line.",
        spliced(array(), "[4, 6],", "[4, 6], // rows, columns"), array(dimension_names=["// rows", "columns"]))
    bad("block-comment", "There is a comment between two members.",
        spliced(group(), "3,", "3, /* a group */"), note("/* a group */"), "group")
    bad("single-quotes", "A string is in single quotes.",
        spliced(group(), '"group"', "'group'"), note("'group'"), "group")
    bad("unquoted-name", "The name of a member has no quotes.",
        spliced(group(), '"node_type"', "node_type"), group(attributes=DROP), "group")
    bad("upper-case-literal", "A literal is written with a capital.", note(Raw("True")), note(True), "group")
    bad("foreign-literal", "A literal of another language is used for null.", note(Raw("None")), note(None), "group")
    bad("cut-literal", "A literal is truncated.", note(Raw("nul")), note(Raw("null ")), "group")
    bad("form-feed", "There is a form feed between two members.",
        spliced(group(), "3,", "3,\f"), spliced(group(), "3,", "3,\r\n"), "group")
    bad("hash-comment", "A comment follows a number sign.",
        spliced(group(), "3,", "3, # a group"), note("# a group"), "group")
    bad("foreign-white-space", "There is a no-break space between two members.",
        spliced(group(), "3,", "3,\u00a0"), spliced(group(), "3,", "3\t,\r"), "group")

    # Strings.
    bad("raw-line-feed-in-string", "A string contains an unescaped line feed.",
        note(Raw('"two\nlines"')), note("two\nlines"), "group")
    bad("raw-null-in-string", "A string contains an unescaped zero byte.",
        note(Raw('"a\0b"')), note("a\0b\x7f"), "group")
    bad("unknown-escape", "A backslash precedes a letter with which it forms no escape.",
        note(Raw(r'"\x41"')), note(Raw(r'"\u0041\/\b\f"')), "group")
    bad("short-escape", "An escape has two hexadecimal digits instead of four.",
        note(Raw(r'"\u41"')), note(Raw(r'"\u00411"')), "group")
    for id, broken, what in (
        ("latin-1", b"\xe9", "A letter is encoded as Latin-1."),
        ("overlong-utf-8", b"\xc0\xaf", "A character is encoded in more bytes than it needs."),
        ("utf-8-surrogate", b"\xed\xa0\x80", "Half of a surrogate pair is encoded as three bytes."),
        ("cut-utf-8", b"\xe2\x82", "The last byte of a character is missing."),
    ):
        bad(id, what, spliced(note("MARK"), "MARK", broken), note("\u00e9\u20ac"), "group")
