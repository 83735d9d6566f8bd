"""The members of array and group metadata, and members that no one knows."""

from .document import DROP, Raw, array, group, named, regular, rule


def common_members(node, make):
    """What holds for arrays and groups alike."""

    def bad(id, about, refuse, accept):
        rule(f"{node}-{id}", about, refuse, accept, node)

    def format_is(id, about, value, accept):
        bad(id, about, make(zarr_format=value), accept)

    format_is("zarr-format-missing", "The version of the format is not given.", DROP, make())
    format_is("zarr-format-2", "The version is 2, which is read from other documents.", 2, make())
    format_is("zarr-format-string", "The version is a string.", "3", make(attributes={"zarr_format": "3"}))
    format_is("zarr-format-fraction", "The version is written with a fraction; it is an integer.", Raw("3.0"), make())
    format_is("zarr-format-4", "The version is one that does not exist.", 4, make())
    format_is("zarr-format-null", "The version is null.", None, make())
    bad("node-type-missing", "The type of the node is not given.", make(node_type=DROP), make())
    bad("node-type-unknown", "The type of the node is neither array nor group.",
        make(node_type="dataset"), make(attributes={"node_type": "dataset"}))
    bad("node-type-case", "The type of the node starts with a capital.", make(node_type=node.title()), make())
    bad("node-type-not-string", "The type of the node is a list.", make(node_type=[node]), make())
    bad("attributes-null", "The attributes are null; the counterpart has an empty object.",
        make(attributes=None), make(attributes={}))
    bad("attributes-not-object", "The attributes are a list; within the counterpart's object anything may stand.",
        make(attributes=[{"a": 1}]), make(attributes={"must_understand": "any", "name": None, "codecs": [1.50]}))

    bad("attributes-string", "The attributes are a string.", make(attributes="a"), make(attributes={"a": "a"}))
    bad("attributes-number", "The attributes are a number.", make(attributes=0), make(attributes={"": 0}))

    def unknown(id, about, value, accept):
        rule(f"{node}-unknown-member-{id}", about, make(no_such_member=value), accept, node)

    ignored = make(no_such_member={"must_understand": False})
    unknown("scalar", "A member that no one knows is a number.", 1, ignored)
    unknown("false", "A member that no one knows is the literal false, which is not the flag.", False, ignored)
    unknown("string", "A member that no one knows is a string.", "x", make(attributes={"no_such_member": "x"}))
    unknown("array", "A member that no one knows is a list, in which a flag has no effect.",
            [{"must_understand": False}], ignored)
    unknown("object", "An object that no one knows has no flag, so it must be understood.",
            {"name": "x1", "configuration": {}},
            make(no_such_member={"name": "x1", "configuration": {}, "must_understand": False, "else": [None]}))
    unknown("inner-flag", "The flag stands in the configuration and not beside the name.",
            {"name": "x1", "configuration": {"must_understand": False}},
            make(no_such_member={"must_understand": False, "configuration": {"must_understand": True}}))
    unknown("must-understand-true", "An object that no one knows says that it must be understood.",
            {"must_understand": True}, ignored)
    unknown("flag-string", "The flag of an object that no one knows is a string.", {"must_understand": "false"}, ignored)
    unknown("flag-null", "The flag of an object that no one knows is null.", {"must_understand": None}, ignored)
    unknown("flag-zero", "The flag of an object that no one knows is the number 0.", {"must_understand": 0}, ignored)


def add_rules():
    common_members("array", array)
    common_members("group", group)
    array_members()
    group_members()


def group_members():
    inline = {"kind": "inline", "metadata": {}}
    rule("group-unknown-member-null",
         "A member that no one knows is null; in the counterpart it is null consolidated metadata, which counts as absent.",
         group(no_such_member=None), group(consolidated_metadata=None), "group")
    rule("group-with-shape",
         "A group has a member that only arrays have.", group(shape=[4]), group(attributes={"shape": [4]}), "group")
    rule("group-consolidated-must-understand-true",
         "Consolidated metadata must be possible to ignore, and these say that they are not.",
         group(consolidated_metadata={"must_understand": True} | inline),
         group(consolidated_metadata={"must_understand": False} | inline), "group")
    rule("group-consolidated-flag-not-boolean",
         "The flag of the consolidated metadata is a string; the counterpart is of a kind that no one knows, and is"
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
             f"An array's {member.replace('_', ' ')} is not given.", array(**{member: DROP}), accept)
    rule("array-unknown-member-null",
         "A member that no one knows is null; the counterpart leaves it out.", array(no_such_member=None), array())

    def shape(id, about, value, accept):
        rule(f"shape-{id}", about, array(shape=value), array(shape=accept))

    shape("negative", "A length is less than zero.", [4, -6], [4, 0])
    shape("fraction", "A length has a fraction, if only of zero.", [Raw("4.0"), 6], [4, 6])
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
    names("empty", "There are two dimensions and no name; the counterpart leaves the member out.", [], DROP)
    names("not-string", "A name is a number.", [0, "y"], ["0", ""])
    names("boolean", "A name is a boolean.", ["x", False], ["x", "false"])
    names("nested", "A name is a list that holds the name.", [["x"], "y"], ["x", "y"])
    names("not-array", "The names are one string.", "xy", ["x", "y"])
    names("object", "The names are an object.", {"x": 0, "y": 1}, ["x", "y"])

    def transformers(id, about, refuse, accept):
        rule(f"storage-transformers-{id}", about,
             array(storage_transformers=refuse), array(storage_transformers=accept))

    transformers("null", "The list of transformers is null.", None, [])
    transformers("string", "The name of a transformer stands there without its list.", "no-such-transformer", DROP)
    transformers("object", "A transformer stands there without its list; the flag does not help.",
                 named("no-such-transformer") | {"must_understand": False},
                 [named("no-such-transformer") | {"must_understand": False}])

    def codecs(id, about, refuse):
        rule(f"codecs-{id}", about,
             array(data_type="uint8", codecs=refuse), array(data_type="uint8", codecs=[named("bytes")]))

    codecs("null", "The list of codecs is null.", None)
    codecs("string", "The name of a codec stands there without its list.", "bytes")
    codecs("object", "A codec stands there without its list.", {"name": "bytes"})
