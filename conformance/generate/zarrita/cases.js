// The table of cases. Members that are not given have the simplest values.

const extension = (name, configuration) => (configuration ? { name, configuration } : { name });
const LITTLE = extension("bytes", { endian: "little" });
const BIG = extension("bytes", { endian: "big" });
const BYTES = extension("bytes");
const transpose = (...order) => extension("transpose", { order });

const TYPED = {
  bool: Uint8Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** Elements of a data type in C order. */
export const typed = (dataType, values) => TYPED[dataType].from(values);

const CLAUSES = {
  bytes: "codec/bytes/order",
  transpose: "codec/transpose/permutation",
  gzip: "codec/gzip/level-range",
  zstd: "codec/zstd/level-range",
  blosc: "codec/blosc/cname-values",
};

const GRIDS = { "larger-than-array": "chunk-grid/regular/edge", names: "array/dimension-names/entries" };

const BLOSCS = [
  ["blosclz-noshuffle", "blosclz", 0],
  ["lz4-shuffle", "lz4", 1],
  ["zlib-shuffle", "zlib", 1],
  ["zstd-bitshuffle", "zstd", 2],
];

const count = (shape) => shape.reduce((a, b) => a * b, 1);

/** The elements 1, 2, 3, ... in C order. */
function ramp(dataType, shape) {
  const big = dataType.endsWith("int64");
  return typed(
    dataType,
    Array.from({ length: count(shape) }, (_, i) => (big ? BigInt(i + 1) : i + 1)),
  );
}

function goldenCase(folder, label, clause, about, dataType, shape, given = {}) {
  return {
    folder,
    label,
    clause,
    about,
    dataType,
    shape,
    chunkShape: shape,
    codecs: [TYPED[dataType].BYTES_PER_ELEMENT === 1 ? BYTES : LITTLE],
    fillValue: dataType === "bool" ? false : 0,
    separator: "/",
    elements: given.elements ?? ramp(dataType, shape),
    ...given,
  };
}

export const CASES = [...dataTypes(), ...fillValues(), ...codecs(), ...compressors(), ...filters(), ...grids()];

function dataTypes() {
  const ends = {
    int8: [-128, -127, 0, 1, 127],
    uint8: [0, 1, 85, 254, 255],
    int16: [-32768, -32767, 0, 1, 32767],
    uint16: [0, 1, 21845, 65534, 65535],
    int32: [-(2 ** 31), 1 - 2 ** 31, 0, 1, 2 ** 31 - 1],
    uint32: [0, 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1],
    int64: [-(2n ** 63n), 1n - 2n ** 63n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n],
    uint64: [0n, 1n, 2n ** 53n + 1n, 2n ** 64n - 2n, 2n ** 64n - 1n],
    float32: [0, -0, 0.1, 2 ** -149, 3.4028234663852886e38, Infinity, -Infinity, NaN, -1.5],
    float64: [0, -0, 0.1, 2 ** -1074, Number.MAX_VALUE, Infinity, -Infinity, NaN, -1.5],
    bool: [1, 0, 0, 1, 1],
  };
  return Object.entries(ends).map(([name, values]) => {
    const about = "The ends of the range and odd values; the last chunk extends beyond the edge.";
    const elements = typed(name, values);
    const given = { elements, chunkShape: [values.length - 2] };
    const clause = name.startsWith("float") ? "data-type/float" : `data-type/${name}`;
    return goldenCase(`data_type/${name}`, "values", clause, about, name, [values.length], given);
  });
}

/** One of two chunks is stored; the fill value is in the other and in the rest of the first. */
function fillValues() {
  return [
    ["bool", true, 1, "data-type/bool"],
    ["int32", -9, -9, "chunk/missing"],
    ["float32", "NaN", NaN, "fill/float/nan"],
    ["float64", "-Infinity", -Infinity, "fill/float/infinity"],
  ].map(([name, fillValue, element, clause]) => {
    const elements = typed(name, [1, 0, element, element, element, element]);
    const about = `The fill value is ${JSON.stringify(fillValue)}; the second chunk is not stored.`;
    const given = { elements, chunkShape: [4], fillValue, written: 2 };
    return goldenCase(`data_type/${name}`, "fill", clause, about, name, [6], given);
  });
}

function codecs() {
  const codec = (name, label, about, dataType, shape, codecs, chunkShape) =>
    goldenCase(`codec/${name}`, label, CLAUSES[name], about, dataType, shape, { codecs, chunkShape });
  const edge = "the last chunks extend beyond the edge";
  return [
    codec("bytes", "big-int16", `Elements stored big endian; ${edge}.`, "int16", [3, 5], [BIG], [2, 3]),
    codec("bytes", "big-uint32", `Elements stored big endian; ${edge}.`, "uint32", [3, 5], [BIG], [2, 3]),
    codec("bytes", "big-int64", `Elements stored big endian; ${edge}.`, "int64", [3, 5], [BIG], [2, 3]),
    codec("bytes", "big-float64", `Elements stored big endian; ${edge}.`, "float64", [3, 5], [BIG], [2, 3]),
    codec("bytes", "little-float64", `Elements stored little endian; ${edge}.`, "float64", [3, 5], [LITTLE], [2, 3]),
    codec("transpose", "order-0-1", "Order [0, 1].", "uint16", [3, 5], [transpose(0, 1), LITTLE], [2, 3]),
    codec("transpose", "order-1-0", "Order [1, 0].", "uint16", [3, 5], [transpose(1, 0), LITTLE], [2, 3]),
    codec("transpose", "order-2-1-0", "Order [2, 1, 0].", "uint16", [3, 4, 5], [transpose(2, 1, 0), LITTLE], [2, 3, 5]),
    codec("transpose", "order-1-2-0", "Order [1, 2, 0].", "uint16", [3, 4, 5], [transpose(1, 2, 0), LITTLE], [2, 3, 5]),
    codec("transpose", "order-2-0-1-big", "Order [2, 0, 1].", "int32", [3, 4, 5], [transpose(2, 0, 1), BIG], [2, 3, 5]),
  ];
}

/** A slow ramp with a little noise, so that compressors find something and not everything. */
function compressible(dataType, length) {
  return typed(
    dataType,
    Array.from({ length }, (_, i) => Math.floor(i / 3) + ((i * i * 7919) % 5)),
  );
}

function compressed(name, label, about, codec, dataType = "uint16", more = []) {
  const clause = more.length > 0 ? "codecs/decoding-order" : (CLAUSES[name] ?? `registered/${name.replace(".", "-")}`);
  const elements = compressible(dataType, 150);
  const given = { elements, chunkShape: [100], codecs: [LITTLE, codec, ...more] };
  return goldenCase(`codec/${name}`, label, clause, about, dataType, [150], given);
}

function compressors() {
  const level = (name, level, more) => extension(name, { level, ...more });
  const found = [];
  for (const n of [1, 9]) {
    found.push(compressed("gzip", `level-${n}`, `Level ${n}.`, level("gzip", n)));
    found.push(compressed("zstd", `level-${n}`, `Level ${n}.`, level("zstd", n, { checksum: false })));
    found.push(compressed("numcodecs.zlib", `level-${n}`, `Level ${n}.`, level("numcodecs.zlib", n)));
  }
  for (const [label, cname, shuffle] of BLOSCS) {
    const codec = extension("numcodecs.blosc", { cname, clevel: 5, shuffle, blocksize: 0 });
    found.push(compressed("numcodecs.blosc", label, `Compressor ${cname}, shuffle ${shuffle}.`, codec, "int32"));
  }
  for (const [label, cname] of BLOSCS) {
    const codec = extension("blosc", { cname, clevel: 5, shuffle: "shuffle", typesize: 4, blocksize: 0 });
    const about = `Compressor ${cname}; the chunks are not shuffled, against the configuration, as their headers say.`;
    found.push(compressed("blosc", label.split("-")[0], about, codec, "int32"));
  }
  const lz4 = extension("numcodecs.lz4", { acceleration: 1 });
  found.push(compressed("numcodecs.lz4", "plain", "The default acceleration.", lz4));
  found.push(compressed("numcodecs.zstd", "level-3", "Level 3.", level("numcodecs.zstd", 3)));
  found.push(compressed("numcodecs.gzip", "level-5", "Level 5.", level("numcodecs.gzip", 5)));
  const twice = [level("zstd", 3, { checksum: false }), level("gzip", 5)];
  found.push(compressed("zstd", "before-gzip", "Compressed once more by gzip.", twice[0], "uint16", [twice[1]]));
  return found;
}

function filters() {
  const shuffle = (elementsize) => extension("numcodecs.shuffle", { elementsize });
  const delta = extension("numcodecs.delta", { dtype: "<i4" });
  return [
    compressed("numcodecs.shuffle", "two-bytes", "Elements of two bytes.", shuffle(2)),
    compressed("numcodecs.shuffle", "four-bytes", "Elements of four bytes.", shuffle(4), "int32"),
    goldenCase("codec/numcodecs.delta", "int32", "registered/numcodecs-delta", "Differences.", "int32", [3, 5], {
      codecs: [delta, LITTLE],
      chunkShape: [2, 3],
    }),
  ];
}

function grids() {
  const grid = (label, about, dataType, shape, given) =>
    goldenCase("chunk_grid/regular", label, GRIDS[label] ?? "chunk-grid/regular/rank", about, dataType, shape, given);
  const key = (label, about, shape, separator) =>
    goldenCase("chunk_key_encoding/default", label, "chunk-key-encoding/default/key", about, "int16", shape, {
      chunkShape: shape.map(() => 2),
      separator,
    });
  return [
    grid("rank-0", "Rank 0.", "float64", []),
    grid("rank-3", "The last chunks extend beyond the edge.", "uint16", [3, 4, 5], { chunkShape: [2, 2, 3] }),
    grid("rank-5", "Rank 5.", "uint8", [2, 1, 3, 2, 2], { chunkShape: [2, 1, 2, 1, 2] }),
    grid("larger-than-array", "One chunk, larger than the array.", "float32", [2, 3], { chunkShape: [5, 4] }),
    grid("names", "Dimensions with names, one without.", "uint8", [2, 3], { dimensionNames: ["y", null] }),
    key("slash-rank-3", 'Keys of rank 3 with the separator "/".', [3, 2, 3], "/"),
    key("dot-rank-3", 'Keys of rank 3 with the separator ".".', [3, 2, 3], "."),
    key("dot-rank-1", 'Keys of rank 1 with the separator ".".', [5], "."),
  ];
}
