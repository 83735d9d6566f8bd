"""The members of array and group metadata, and unknown members."""

from .document import DROP, Raw, array, group, named, regular, rule


def common_members(node, make):
    """Adds rules for both arrays and groups."""

    def bad(id, about, refuse, accept):
        rule(f"{node}-{id}", about, refuse, accept, node)

    def format_is(id, about, value, accept):
        bad(id, about, make(zarr_format=value), accept)

    format_is("zarr-format-missing", "The version of the format is missing.", DROP, make())
    format_is("zarr-format-2", "The version is 2, which uses other documents.", 2, make())
    format_is("zarr-format-string", "The version is a string.", "3", make(attributes={"zarr_format": "3"}))
    format_is("zarr-format-fraction", "The version is written with a fraction instead of as an integer.", Raw("3.0"), make())
    format_is("zarr-format-4", "The version does not exist.", 4, make())
    format_is("zarr-format-null", "The version is null.", None, make())
    bad("node-type-missing", "The type of the node is missing.", make(node_type=DROP), make())
    bad("node-type-unknown", "The type of the node is neither array nor group.",
        make(node_type="dataset"), make(attributes={"node_type": "dataset"}))
    bad("node-type-case", "The type of the node starts with a capital.", make(node_type=node.title()), make())
    bad("node-type-not-string", "The type of the node is a list.", make(node_type=[node]), make())
    bad("attributes-null", "The attributes are null; the counterpart has an empty object.",
        make(attributes=None), make(attributes={}))
    bad("attributes-not-object", "The attributes are a list; in the counterpart they are an object, which may contain anything.",
        make(attributes=[{"a": 1}]), make(attributes={"must_understand": "any", "name": None, "codecs": [1.50]}))

    bad("attributes-string", "The attributes are a string.", make(attributes="a"), make(attributes={"a": "a"}))
    bad("attributes-number", "The attributes are a number.", make(attributes=0), make(attributes={"": 0}))

    def unknown(id, about, value, accept):
        rule(f"{node}-unknown-member-{id}", about, make(no_such_member=value), accept, node)

    ignored = make(no_such_member={"must_understand": False})
    unknown("scalar", "An unknown member is a number.", 1, ignored)
    unknown("false", "An unknown member is the literal false, which is not must_understand.", False, ignored)
    unknown("string", "An unknown member is a string.", "x", make(attributes={"no_such_member": "x"}))
    unknown("array", "An unknown member is a list, in which must_understand has no effect.",
            [{"must_understand": False}], ignored)
    unknown("object", "An unknown object has no must_understand, so it must be understood.",
            {"name": "x1", "configuration": {}},
            make(no_such_member={"name": "x1", "configuration": {}, "must_understand": False, "else": [None]}))
    unknown("inner-flag", "must_understand is in the configuration instead of next to the name.",
            {"name": "x1", "configuration": {"must_understand": False}},
            make(no_such_member={"must_understand": False, "configuration": {"must_understand": True}}))
    unknown("must-understand-true", "An unknown object states that it must be understood.",
            {"must_understand": True}, ignored)
    unknown("flag-string", "The must_understand of an unknown object is a string.", {"must_understand": "false"}, ignored)
    unknown("flag-null", "The must_understand of an unknown object is null.", {"must_understand": None}, ignored)
    unknown("flag-zero", "The must_understand of an unknown object is the number 0.", {"must_understand": 0}, ignored)


def add_rules():
    common_members("array", array)
    common_members("group", group)
    array_members()
    group_members()


def group_members():
    inline = {"kind": "inline", "metadata": {}}
    rule("group-unknown-member-null",
         "An unknown member is null; in the counterpart it is null consolidated metadata, which counts as absent.",
         group(no_such_member=None), group(consolidated_metadata=None), "group")
    rule("group-with-shape",
         "A group has a member that only arrays have.", group(shape=[4]), group(attributes={"shape": [4]}), "group")
    rule("group-consolidated-must-understand-true",
         "Readers must be able to ignore consolidated metadata, but its must_understand is true.",
         group(consolidated_metadata={"must_understand": True} | inline),
         group(consolidated_metadata={"must_understand": False} | inline), "group")
    rule("group-consolidated-flag-not-boolean",
         "The must_understand of the consolidated metadata is a string; in the counterpart the kind is unknown and"
         " ignored.",
         group(consolidated_metadata={"must_understand": "false"} | inline),
         group(consolidated_metadata={"must_understand": False, "kind": "no-such-kind"}), "group")


def array_members():
    for member, accept in {
        "shape": array(shape=[], chunk_grid=regular()),
        "data_type": array(),
        "chunk_grid": array(chunk_grid=regular(4, 6)),
        "chunk_key_encoding": array(chunk_key_encoding=named("v2", separator=".")),
        "fill_value": array(fill_value=-1),
        "codecs": array(data_type="int8", codecs=[named("bytes")]),
    }.items():
        rule(f"array-{member.replace('_', '-')}-missing",
             f"An array's {member.replace('_', ' ')} is missing.", array(**{member: DROP}), accept)
    rule("array-unknown-member-null",
         "An unknown member is null; the counterpart omits it.", array(no_such_member=None), array())

    def shape(id, about, value, accept):
        rule(f"shape-{id}", about, array(shape=value), array(shape=accept))

    shape("negative", "A length is negative.", [4, -6], [4, 0])
    shape("fraction", "A length has a fraction, even if it is zero.", [Raw("4.0"), 6], [4, 6])
    shape("exponent", "A length is written with an exponent.", [4, Raw("6e0")], [4, 6])
    shape("string", "A length is a string.", ["4", 6], [1, 6])
    shape("boolean", "A length is a boolean.", [True, 6], [1, 6])
    shape("null-entry", "A length is null.", [4, None], [4, 0])
    shape("nested", "A length is a list.", [[4], 6], [4, 6])
    rule("shape-null", "The shape is null; the counterpart has no dimensions.",
         array(shape=None, chunk_grid=regular()), array(shape=[], chunk_grid=regular()))
    rule("shape-number", "The shape of one dimension is a bare number.",
         array(shape=4, chunk_grid=regular(2)), array(shape=[4], chunk_grid=regular(2)))

    def names(id, about, refuse, accept):
        rule(f"dimension-names-{id}", about,
             array(dimension_names=refuse), array(dimension_names=accept))

    names("null", "The names are null; the counterpart has a null for each dimension.", None, [None, None])
    names("too-few", "There are fewer names than dimensions.", ["x"], ["x", "x"])
    names("too-many", "There are more names than dimensions.", ["x", "y", None], [None, "y"])
    names("empty", "There are two dimensions but no names; the counterpart omits the member.", [], DROP)
    names("not-string", "A name is a number.", [0, "y"], ["0", ""])
    names("boolean", "A name is a boolean.", ["x", False], ["x", "false"])
    names("nested", "A name is a list that contains the name.", [["x"], "y"], ["x", "y"])
    names("not-array", "The names are one string.", "xy", ["x", "y"])
    names("object", "The names are an object.", {"x": 0, "y": 1}, ["x", "y"])

    def transformers(id, about, refuse, accept):
        rule(f"storage-transformers-{id}", about,
             array(storage_transformers=refuse), array(storage_transformers=accept))

    transformers("null", "The list of transformers is null.", None, [])
    transformers("string", "The value is the name of a transformer instead of a list.", "no-such-transformer", DROP)
    transformers("object", "The value is a transformer instead of a list; must_understand makes no difference.",
                 named("no-such-transformer") | {"must_understand": False},
                 [named("no-such-transformer") | {"must_understand": False}])

    def codecs(id, about, refuse):
        rule(f"codecs-{id}", about,
             array(data_type="uint8", codecs=refuse), array(data_type="uint8", codecs=[named("bytes")]))

    codecs("null", "The list of codecs is null.", None)
    codecs("string", "The value is the name of a codec instead of a list.", "bytes")
    codecs("object", "The value is a codec instead of a list.", {"name": "bytes"})
