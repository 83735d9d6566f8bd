"""The sharding codec: its configuration, and the two lists of codecs inside it."""

from .document import CRC32C, DROP, LITTLE, Raw, array, named, regular, rule

INDEX = [LITTLE, CRC32C]
GZIP = named("gzip", level=1)


def shard(**changes):
    """Returns a valid sharding codec for shards of 4 by 6, with members changed, added, or removed by DROP."""
    good = {"chunk_shape": [2, 3], "codecs": [LITTLE], "index_codecs": INDEX, "index_location": "end"}
    return named("sharding_indexed", **good | changes)


def sharded(codec, *before, **members):
    """Returns an array of 8 by 12 numbers in shards of 4 by 6."""
    return array(**{"shape": [8, 12], "chunk_grid": regular(4, 6), "codecs": [*before, codec]} | members)


def bad(id, about, refuse, accept=DROP):
    rule(f"sharding-{id}", about, sharded(refuse), sharded(shard() if accept is DROP else accept))


def add_rules():
    chunk_shapes()
    inner_codecs()
    index()
    bad("extra-configuration", "The configuration has a member that is not defined.", shard(order="morton"))
    bad("no-configuration", "There is only the name, without a configuration.", named("sharding_indexed"))


def chunk_shapes():
    def shape(id, about, value, accept=(1, 6)):
        bad(f"chunk-shape-{id}", about, shard(chunk_shape=value), shard(chunk_shape=list(accept)))

    shape("missing", "The shape of inner chunks is missing.", DROP)
    shape("not-dividing", "Inner chunks do not divide the shard evenly.", [2, 4], (2, 2))
    shape("larger", "Inner chunks are larger than the shard.", [8, 12], (4, 6))
    shape("rank-too-small", "Inner chunks have fewer dimensions than the shard.", [2])
    shape("rank-too-large", "Inner chunks have more dimensions than the shard.", [2, 3, 1])
    shape("zero", "An inner chunk has length 0.", [0, 3], (1, 3))
    shape("negative", "An inner chunk has a negative length.", [2, -3])
    shape("fraction", "An inner chunk's length has a fraction, even if it is zero.", [Raw("2.0"), 3], (2, 3))
    shape("string", "An inner chunk's length is a string.", ["2", 3], (2, 3))
    shape("null", "The shape of inner chunks is null.", None)
    swap = named("transpose", order=[1, 0])
    rule("sharding-chunk-shape-after-transpose",
         "The shard is first transposed to 6 by 4, so inner chunks must divide that shape.",
         sharded(shard(chunk_shape=[4, 3]), swap), sharded(shard(chunk_shape=[3, 4]), swap))
    bad("nested-not-dividing", "Inner shards are not divided evenly by their own inner chunks.",
        shard(codecs=[shard(chunk_shape=[2, 2])]), shard(codecs=[shard(chunk_shape=[1, 3], index_location="start")]))


def inner_codecs():
    def inner(id, about, value, accept=(LITTLE, GZIP)):
        bad(f"codecs-{id}", about, shard(codecs=value), shard(codecs=list(accept)))

    unknown = {"name": "no-such-codec", "must_understand": False}
    inner("missing", "The codecs of inner chunks are missing.", DROP)
    inner("null", "The codecs of inner chunks are null.", None)
    inner("empty", "The list of codecs of inner chunks is empty.", [])
    inner("without-array-to-bytes", "No codec converts inner chunks to bytes.", [GZIP])
    inner("two-array-to-bytes", "Inner chunks have two array -> bytes codecs.", [LITTLE, LITTLE], (LITTLE,))
    inner("wrong-order", "A bytes -> bytes codec precedes the array -> bytes codec.", [GZIP, LITTLE])
    inner("endian-missing", "Numbers in inner chunks have a byte order, but it is missing.",
          [named("bytes")], (named("bytes", endian="big"),))
    inner("unknown", "A codec of inner chunks is unknown; in the counterpart it may be skipped.",
          [LITTLE, {"name": "no-such-codec"}], (LITTLE, unknown))
    inner("unknown-array-to-bytes-skipped", "When the unknown codec is skipped, no codec converts inner chunks to bytes.",
          [unknown], (unknown, LITTLE))
    inner("bad-configuration", "A codec of inner chunks has an invalid configuration.",
          [LITTLE, named("gzip", level=10)], (LITTLE, named("gzip", level=9)))
    inner("bad-transpose", "An inner chunk is transposed by an order of another rank.",
          [named("transpose", order=[0, 2, 1]), LITTLE], (named("transpose", order=[1, 0]), LITTLE))
    rule("sharding-array-to-bytes-after",
         "The next codec expects an array, but a shard is already bytes; the counterpart adds a checksum instead.",
         array(codecs=[shard(chunk_shape=[1, 3]), LITTLE]), array(codecs=[shard(chunk_shape=[1, 3]), CRC32C]))


def index():
    def codecs(id, about, value, accept=(LITTLE,)):
        bad(f"index-codecs-{id}", about, shard(index_codecs=value), shard(index_codecs=list(accept)))

    codecs("missing", "The codecs of the index are missing.", DROP)
    codecs("empty", "The list of codecs of the index is empty.", [])
    bad("index-codecs-null", "The codecs of the index are null.", shard(index_codecs=None))
    codecs("gzip", "The size of the index would be unknown: gzip's output has no fixed size.",
           [LITTLE, GZIP], (LITTLE, CRC32C, CRC32C))
    codecs("zstd", "The size of the index would be unknown: zstd's output has no fixed size.",
           [LITTLE, named("zstd", level=1, checksum=True)], (named("bytes", endian="big"), CRC32C))
    blosc = {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle", "blocksize": 0}
    codecs("blosc", "The size of the index would be unknown: blosc's output has no fixed size.",
           [LITTLE, named("blosc", **blosc)], (LITTLE, CRC32C))
    codecs("without-array-to-bytes", "No codec converts the index to bytes.", [CRC32C], (LITTLE, CRC32C))
    codecs("endian-missing", "The index contains 64-bit numbers, but their byte order is missing.", [named("bytes"), CRC32C])
    codecs("unknown", "A codec of the index is unknown.", [LITTLE, {"name": "no-such-codec"}])
    codecs("bad-transpose", "The index has one dimension more than the shard, and is transposed by an order of the shard's rank.",
           [named("transpose", order=[1, 0]), LITTLE], (named("transpose", order=[2, 1, 0]), LITTLE))

    def location(id, about, value, accept="start"):
        bad(f"index-location-{id}", about, shard(index_location=value), shard(index_location=accept))

    location("unknown", "The index is neither at the start nor at the end.", "middle")
    location("upper-case", "The place of the index starts with a capital.", "End", "end")
    bad("index-location-null", "The place of the index is null; the counterpart omits it.",
        shard(index_location=None), named("sharding_indexed", chunk_shape=[2, 3], codecs=[LITTLE], index_codecs=INDEX))
