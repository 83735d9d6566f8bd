"""The form of the list of codecs, and each codec's configuration and representations."""

from .document import CRC32C, DROP, LITTLE, Raw, array, named, regular, rule

SWAP = named("transpose", order=[1, 0])


def add_rules():
    the_list()
    bytes_codec()
    transpose()
    gzip()
    zstd()
    blosc()
    without_configuration()


def the_list():
    def bad(id, about, refuse, accept):
        rule(f"codecs-{id}", about, array(codecs=refuse), array(codecs=accept))

    bad("empty", "The list is empty.", [], [LITTLE])
    bad("without-array-to-bytes", "No codec in the list converts the array to bytes.", [CRC32C], [LITTLE, CRC32C])
    bad("array-to-array-only", "The list ends with an array -> array codec.", [SWAP], [SWAP, LITTLE])
    bad("two-array-to-bytes", "There are two array -> bytes codecs.", [LITTLE, LITTLE], [LITTLE])
    bad("bytes-to-bytes-first", "A bytes -> bytes codec precedes the array -> bytes codec.",
        [named("gzip", level=1), LITTLE], [LITTLE, named("gzip", level=1)])
    bad("array-to-array-after-bytes", "An array -> array codec follows the array -> bytes codec.",
        [LITTLE, SWAP], [SWAP, SWAP, LITTLE])
    bad("array-to-array-last", "An array -> array codec follows a bytes -> bytes codec.",
        [LITTLE, CRC32C, SWAP], [SWAP, LITTLE, CRC32C])


def codec(name, id, about, refuse, accept, **members):
    """Adds a rule for one codec. `refuse` and `accept` are lists of codecs."""
    rule(f"{name}-{id}", about, array(codecs=refuse, **members), array(codecs=accept, **members))


def bytes_codec():
    def missing(data_type, fill, codec, accept):
        rule(f"bytes-endian-missing-{data_type}",
             f"The byte order is missing, but elements of {data_type} have one.",
             array(data_type=data_type, fill_value=fill, codecs=[codec]), accept)

    missing("int16", 0, named("bytes"), array(data_type="r16", fill_value=[0, 0], codecs=[named("bytes")]))
    missing("uint64", 0, {"name": "bytes"}, array(data_type="uint8", codecs=[{"name": "bytes"}]))
    missing("float32", 0, {"name": "bytes", "configuration": {}},
            array(data_type="int8", codecs=[{"name": "bytes", "configuration": {}}]))
    missing("complex64", [0, 0], named("bytes"), array(data_type="complex64", fill_value=[0, 0]))

    def bad(id, about, endian, accept=LITTLE, **members):
        codec("bytes", id, about, [named("bytes", endian=endian)], [accept], **members)

    bad("endian-unknown", "The byte order is neither big nor little.", "native", named("bytes", endian="big"))
    bad("endian-case", "The byte order is written with a capital.", "Little")
    bad("endian-null", "The byte order is null.", None)
    bad("endian-number", "The byte order is a number.", 1)
    bad("endian-unknown-for-uint8", "A byte order that is not needed must still be valid.", "middle",
        named("bytes", endian="big"), data_type="uint8")
    codec("bytes", "extra-configuration", "The configuration has a member that is not defined.",
          [named("bytes", endian="little", align=4)], [LITTLE])
    rule("bytes-of-string",
         "Elements of variable length cannot be stored one after another; the counterpart has the codec for text.",
         array(data_type="string", fill_value="", codecs=[named("bytes")]),
         array(data_type="string", fill_value="", codecs=[named("vlen-utf8")]))


def transpose():
    def bad(id, about, order, accept=SWAP):
        codec("transpose", id, about, [named("transpose", order=order), LITTLE], [accept, LITTLE])

    bad("order-letter-c", "The order is the letter C of earlier drafts.", "C", named("transpose", order=[0, 1]))
    bad("order-letter-f", "The order is the letter F of earlier drafts.", "F")
    bad("order-null", "The order is null.", None)
    bad("order-repeated", "An axis occurs twice and the other is missing.", [0, 0])
    bad("order-beyond-rank", "The order contains an axis that the array does not have.", [0, 2])
    bad("order-from-one", "The axes are counted from one.", [2, 1])
    bad("order-negative", "An axis is counted from the end.", [-1, 0])
    bad("order-fraction", "An axis is a number with a fraction.", [1, Raw("0.0")])
    bad("order-too-short", "There are fewer axes than dimensions.", [0])
    bad("order-too-long", "There are more axes than dimensions.", [0, 1, 2])
    bad("order-empty", "There are two dimensions but no axes.", [])
    codec("transpose", "order-missing", "The order is missing.", [named("transpose"), LITTLE], [SWAP, LITTLE])
    codec("transpose", "extra-configuration", "The configuration has a member that is not defined.",
          [named("transpose", order=[1, 0], axis=0), LITTLE], [SWAP, LITTLE])
    rule("transpose-order-of-scalar", "The order contains an axis, but the chunk has no dimensions.",
         array(shape=[], chunk_grid=regular(), codecs=[named("transpose", order=[0]), LITTLE]),
         array(shape=[], chunk_grid=regular(), codecs=[{"name": "transpose", "configuration": {"order": []}}, LITTLE]))


def gzip():
    def bad(id, about, level, accept=5):
        codec("gzip", f"level-{id}", about, [LITTLE, named("gzip", level=level)], [LITTLE, named("gzip", level=accept)])

    bad("missing", "The level is missing.", DROP)
    bad("too-high", "The highest level is 9.", 10, 9)
    bad("string", "The level is a string.", "5")
    bad("fraction", "The level has a fraction.", 5.5)
    bad("null", "The level is null.", None)
    bad("boolean", "The level is a boolean.", True, 1)
    codec("gzip", "extra-configuration", "The configuration has a member that is not defined.",
          [LITTLE, named("gzip", level=1, id="gzip")], [LITTLE, named("gzip", level=1)])


def zstd():
    good = named("zstd", level=3, checksum=False)

    def bad(id, about, refuse, accept=good):
        codec("zstd", id, about, [LITTLE, named("zstd", **refuse)], [LITTLE, accept])

    bad("level-missing", "The level is missing.", {"checksum": False}, named("zstd", level=0))
    bad("level-too-low", "The lowest level is -131072.", {"level": -131073}, named("zstd", level=-131072))
    bad("level-string", "The level is a string.", {"level": "3", "checksum": False})
    bad("level-fraction", "The level has a fraction.", {"level": 3.5})
    bad("level-null", "The level is null.", {"level": None})
    bad("checksum-number", "The value of checksum is a number.", {"level": 3, "checksum": 0})
    bad("checksum-string", "The value of checksum is a string.", {"level": 3, "checksum": "true"},
        named("zstd", level=3, checksum=True))
    bad("checksum-null", "The value of checksum is null; the counterpart omits it.",
        {"level": 3, "checksum": None}, named("zstd", level=3))
    bad("extra-configuration", "The configuration has a member that is not defined.",
        {"level": 3, "checksum": False, "threads": 2})


def blosc():
    good = {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}
    plain = {"cname": "zstd", "clevel": 0, "shuffle": "noshuffle", "blocksize": 0}

    def bad(id, about, change, accept=good):
        codec("blosc", id, about, [LITTLE, named("blosc", **good | change)], [LITTLE, named("blosc", **accept)])

    bad("cname-missing", "The inner compressor is missing.", {"cname": DROP})
    bad("cname-unknown", "The inner compressor is not one of the six.", {"cname": "lzma"}, good | {"cname": "zlib"})
    bad("cname-upper-case", "The inner compressor is written in capitals.", {"cname": "LZ4"}, good | {"cname": "lz4hc"})
    bad("clevel-missing", "The level is missing.", {"clevel": DROP})
    bad("clevel-too-high", "The highest level is 9.", {"clevel": 10}, good | {"clevel": 9})
    bad("clevel-negative", "The lowest level is 0.", {"clevel": -1}, good | {"clevel": 0})
    bad("clevel-string", "The level is a string.", {"clevel": "5"}, good | {"cname": "blosclz"})
    bad("clevel-fraction", "The level has a fraction.", {"clevel": 5.5})
    bad("shuffle-missing", "The kind of shuffle is missing.", {"shuffle": DROP}, plain)
    bad("shuffle-unknown", "The kind of shuffle is not one of the three.",
        {"shuffle": "byteshuffle"}, good | {"shuffle": "bitshuffle"})
    bad("shuffle-number", "The kind of shuffle is a number, as in the metadata of Zarr v2.", {"shuffle": 1})
    bad("shuffle-null", "The kind of shuffle is null.", {"shuffle": None}, plain)
    bad("typesize-missing-shuffle", "Bytes are shuffled, but the stride is missing.", {"typesize": DROP}, plain)
    bad("typesize-missing-bitshuffle", "Bits are shuffled, but the stride is missing.",
        {"typesize": DROP, "shuffle": "bitshuffle"}, good | {"shuffle": "bitshuffle"})
    bad("typesize-zero-shuffle", "Bytes are shuffled with a stride of 0; without shuffle it is ignored.",
        {"typesize": 0}, plain | {"typesize": 0})
    bad("typesize-negative", "The stride is negative.", {"typesize": -4}, good | {"typesize": 1})
    bad("typesize-string", "The stride is a string.", {"typesize": "4"}, good | {"typesize": 8})
    bad("typesize-fraction", "The stride has a fraction, even if it is zero.", {"typesize": Raw("4.0")}, good)
    bad("blocksize-negative", "The size of blocks is negative.", {"blocksize": -1})
    bad("blocksize-fraction", "The size of blocks has a fraction, even if it is zero.", {"blocksize": Raw("0.0")})
    bad("blocksize-missing", "The size of blocks is missing.", {"blocksize": DROP})
    bad("blocksize-string", "The size of blocks is a string.", {"blocksize": "0"}, good | {"blocksize": 4096})
    bad("extra-configuration", "The configuration has a member that is not defined.", {"numthreads": 1})
    codec("blosc", "no-configuration", "There is only the name, without a configuration.",
          [LITTLE, named("blosc")], [LITTLE, named("blosc", **plain)])


def without_configuration():
    codec("crc32c", "extra-configuration",
          "The configuration of this codec has no members, but there is one; in the counterpart it is empty.",
          [LITTLE, named("crc32c", location="end")], [LITTLE, {"name": "crc32c", "configuration": {}}])
    text = {"data_type": "string", "fill_value": ""}
    codec("vlen-utf8", "extra-configuration",
          "The configuration of this codec has no members, but there is one; in the counterpart it is empty.",
          [named("vlen-utf8", offset="uint32")], [{"name": "vlen-utf8", "configuration": {}}], **text)
    codec("vlen-utf8", "of-uint8", "Numbers are not strings.",
          [named("vlen-utf8")], [named("bytes")], data_type="uint8")
    rule("vlen-utf8-of-bytes", "Byte strings need not be text; the counterpart has the codec for byte strings.",
         array(data_type="bytes", fill_value="", codecs=[named("vlen-utf8")]),
         array(data_type="bytes", fill_value="", codecs=[named("vlen-bytes")]))
    codec("vlen-bytes", "extra-configuration",
          "The configuration of this codec has no members, but there is one; in the counterpart it is empty.",
          [named("vlen-bytes", offset="uint32")], [{"name": "vlen-bytes", "configuration": {}}],
          data_type="bytes", fill_value="")
    rule("vlen-bytes-of-string", "Strings are not byte strings; the counterpart has the codec for strings.",
         array(data_type="string", fill_value="", codecs=[named("vlen-bytes")]),
         array(data_type="string", fill_value="", codecs=[named("vlen-utf8")]))
    rule("bytes-of-bytes", "Byte strings of variable length cannot be stored one after another, although the names are equal.",
         array(data_type="bytes", fill_value="", codecs=[named("bytes")]),
         array(data_type="bytes", fill_value="", codecs=[named("vlen-bytes")]))
    rule("vlen-bytes-of-int32", "Numbers are not byte strings.",
         array(codecs=[named("vlen-bytes")]), array(data_type={"name": "bytes"}, fill_value=[], codecs=[{"name": "vlen-bytes"}]))
