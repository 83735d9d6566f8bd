"""Writes and reads arrays with another Zarr implementation on request.

    python peer.py zarr-python
    python peer.py tensorstore

The process reads JSON requests from standard input and writes JSON replies to standard output, one per line, so that a
test can run many cases through one process.

    {"op": "write", "path": DIR, "shape": [..], "chunk_shape": [..], "shard_shape": [..] or null,
     "data_type": .., "fill_value": .., "codecs": [..], "key_encoding": {..}, "data": FILE}
    {"op": "read", "path": DIR, "out": FILE}

`data_type`, `fill_value`, `codecs` and `key_encoding` are spelled as in zarr.json; with a shard shape, `codecs` is the
chain of an inner chunk. The peer's own writer creates the array. By default a peer does not store chunks that equal the
fill value; with `"store_fill": true` it stores them. `"attributes": {..}` is optional.

FILE contains the elements in C order as raw little-endian bytes (a bool is one byte). For the data type `string` it is a
JSON list of strings, and for `bytes` a JSON list of base64 strings.

    {"status": "done"}
    {"status": "unsupported", "reason": ..}     the peer does not know the data type or a codec: see the tables below
    {"status": "error", "reason": ..}           anything else that went wrong, including refusals by the peer

A peer that aborts ends the process: its output closes without a reply.
"""

import base64
import json
import sys
import warnings
from pathlib import Path

import ml_dtypes
import numpy

NUMBERS = {
    "bool": "?",
    "int8": "<i1",
    "int16": "<i2",
    "int32": "<i4",
    "int64": "<i8",
    "uint8": "<u1",
    "uint16": "<u2",
    "uint32": "<u4",
    "uint64": "<u8",
    "float16": "<f2",
    "float32": "<f4",
    "float64": "<f8",
    "complex64": "<c8",
    "complex128": "<c16",
}
SMALL_NUMBERS = {
    "int2": ml_dtypes.int2,
    "int4": ml_dtypes.int4,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e3m4": ml_dtypes.float8_e3m4,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8_e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float4_e2m1fn": ml_dtypes.float4_e2m1fn,
}
TEXTS = {"string"}
BYTE_STRINGS = {"bytes", "variable_length_bytes"}

CORE_CODECS = {"transpose", "bytes", "sharding_indexed", "gzip", "zstd", "blosc", "crc32c"}
NUMCODECS = {
    f"numcodecs.{name}"
    for name in (
        "adler32 astype bitround blosc bz2 crc32 crc32c delta fixedscaleoffset fletcher32 gzip jenkins_lookup3 lz4 lzma"
        " packbits pcodec quantize shuffle zfpy zlib zstd"
    ).split()
}


class Unsupported(Exception):
    """The peer does not support the data type or the codec."""


class ZarrPython:
    """zarr-python, through its synchronous interface."""

    data_types = (
        set(NUMBERS)
        | TEXTS
        | BYTE_STRINGS
        | {"fixed_length_utf32", "null_terminated_bytes", "raw_bytes", "structured"}
        | {"numpy.datetime64", "numpy.timedelta64"}
    )
    codecs = CORE_CODECS | NUMCODECS | {"vlen-utf8", "vlen-bytes"}
    blosc_compressors = {"blosclz", "lz4", "lz4hc", "zlib", "zstd"}

    def __init__(self):
        import zarr

        warnings.filterwarnings("ignore", module="(zarr|numcodecs).*")
        self.zarr = zarr

    def write(self, request):
        data_type = self.data_type(request["data_type"])
        array = self.zarr.create_array(
            request["path"],
            shape=request["shape"],
            chunks=request["chunk_shape"],
            shards=request["shard_shape"],
            dtype=data_type,
            fill_value=data_type.from_json_scalar(request["fill_value"], zarr_format=3),
            chunk_key_encoding=request["key_encoding"],
            config={"write_empty_chunks": request.get("store_fill", False)},
            attributes=request.get("attributes"),
            **self.chain(request["codecs"]),
        )
        array[...] = load(request, data_type.to_native_dtype())

    def read(self, path):
        return self.zarr.open_array(path, mode="r")[...]

    def data_type(self, metadata):
        from zarr.dtype import parse_dtype

        return parse_dtype(metadata, zarr_format=3)

    def chain(self, codecs):
        """Returns the codecs as create_array expects them: three arguments by the kind of codec."""
        from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec, BytesBytesCodec
        from zarr.registry import get_codec_class

        def of_kind(kind):
            return [codec for codec in codecs if issubclass(get_codec_class(codec["name"]), kind)]

        (serializer,) = of_kind(ArrayBytesCodec)
        return {
            "filters": of_kind(ArrayArrayCodec),
            "serializer": serializer,
            "compressors": of_kind(BytesBytesCodec),
        }


class TensorStore:
    """TensorStore's zarr3 driver on local files."""

    data_types = set(NUMBERS) | set(SMALL_NUMBERS)
    codecs = CORE_CODECS
    blosc_compressors = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}

    def __init__(self):
        import tensorstore

        self.tensorstore = tensorstore

    def write(self, request):
        metadata = {
            "shape": request["shape"],
            "data_type": request["data_type"],
            "fill_value": request["fill_value"],
            "chunk_grid": regular(request["shard_shape"] or request["chunk_shape"]),
            "chunk_key_encoding": request["key_encoding"],
            "codecs": self.chain(request),
        }
        if request.get("attributes"):
            metadata["attributes"] = request["attributes"]
        options = {"metadata": metadata, "store_data_equal_to_fill_value": request.get("store_fill", False)}
        array = self.tensorstore.open(self.spec(request["path"]) | options, create=True).result()
        array.write(load(request, array.dtype.numpy_dtype)).result()

    def read(self, path):
        return self.tensorstore.open(self.spec(path), open=True).result().read().result()

    def spec(self, path):
        return {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}}

    def chain(self, request):
        if request["shard_shape"] is None:
            return request["codecs"]
        return [sharding(request["chunk_shape"], request["codecs"])]


def regular(chunk_shape):
    return {"name": "regular", "configuration": {"chunk_shape": chunk_shape}}


def sharding(chunk_shape, codecs):
    """A sharding codec with the index that most writers use."""
    index_codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    configuration = {"chunk_shape": chunk_shape, "codecs": codecs, "index_codecs": index_codecs, "index_location": "end"}
    return {"name": "sharding_indexed", "configuration": configuration}


def load(request, dtype):
    """Returns the elements of a write request as a numpy array of the peer's type. No element is parsed as a number."""
    content = Path(request["data"]).read_bytes()
    name = name_of(request["data_type"])
    if name in TEXTS:
        elements = as_objects(json.loads(content)).astype(dtype)
    elif name in BYTE_STRINGS:
        elements = as_objects([base64.b64decode(text) for text in json.loads(content)])
    else:
        elements = numpy.frombuffer(content, dtype.newbyteorder("<"))
    return elements.reshape(request["shape"])


def as_objects(values):
    elements = numpy.empty(len(values), object)
    elements[:] = values
    return elements


def dump(elements, data_type):
    """Returns the file contents for elements that a peer has read."""
    name = name_of(data_type)
    if name in TEXTS | BYTE_STRINGS:
        return json.dumps([as_json(element) for element in flat_objects(elements)]).encode()
    elements = numpy.asarray(elements)
    return elements.astype(elements.dtype.newbyteorder("<"), copy=False).tobytes()


def flat_objects(elements):
    """Returns the elements as Python objects; a single element need not be in an array."""
    return elements.ravel().tolist() if isinstance(elements, numpy.ndarray) else [elements]


def as_json(element):
    return base64.b64encode(element).decode() if isinstance(element, bytes) else str(element)


def name_of(metadata):
    """Returns the name of an extension, which may be a bare string."""
    return metadata if isinstance(metadata, str) else metadata["name"]


def refuse_unknown(peer, data_type, codecs):
    if name_of(data_type) not in peer.data_types:
        raise Unsupported(f"data type {name_of(data_type)}")
    for codec in codecs:
        refuse_unknown_codec(peer, data_type, codec)


def refuse_unknown_codec(peer, data_type, codec):
    name = name_of(codec)
    if name not in peer.codecs:
        raise Unsupported(f"codec {name}")
    configuration = {} if isinstance(codec, str) else codec.get("configuration") or {}
    if name == "sharding_indexed":
        refuse_unknown(peer, data_type, configuration["codecs"])
    if name == "blosc" and configuration["cname"] not in peer.blosc_compressors:
        raise Unsupported(f"blosc compressor {configuration['cname']}")


def write(peer, request):
    refuse_unknown(peer, request["data_type"], request["codecs"])
    peer.write(request)


def read(peer, request):
    metadata = json.loads((Path(request["path"]) / "zarr.json").read_bytes())
    refuse_unknown(peer, metadata["data_type"], metadata["codecs"])
    Path(request["out"]).write_bytes(dump(peer.read(request["path"]), metadata["data_type"]))


PEERS = {"zarr-python": ZarrPython, "tensorstore": TensorStore}
OPERATIONS = {"write": write, "read": read}


def answer(peer, line):
    try:
        request = json.loads(line)
        OPERATIONS[request["op"]](peer, request)
    except Unsupported as reason:
        return {"status": "unsupported", "reason": str(reason)}
    except Exception as error:
        return {"status": "error", "reason": f"{type(error).__name__}: {error}"}
    return {"status": "done"}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in PEERS:
        sys.exit(f"usage: peer.py {'|'.join(PEERS)}")
    peer = PEERS[sys.argv[1]]()
    for line in sys.stdin:
        print(json.dumps(answer(peer, line)), flush=True)


if __name__ == "__main__":
    main()
