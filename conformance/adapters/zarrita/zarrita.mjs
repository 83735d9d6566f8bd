// zarrita as an adapter of the conformance suite: version, read, write, open, session.
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import * as readline from "node:readline";
import FileSystemStore from "@zarrita/storage/fs";
import * as zarr from "zarrita";

const DONE = 0;
const REFUSED = 1;
const UNSUPPORTED = 2;

const USUAL_NAN = { float16: "0x7e00", float32: "0x7fc00000", float64: "0x7ff8000000000000" };
const COMMANDS = { read, write, open };

async function read(array, out) {
  const opened = await zarr.open(new FileSystemStore(array), { kind: "array" });
  const got = await zarr.get(opened);
  const lines = elements(got, opened).map((element) => `${element}\n`);
  fs.writeFileSync(out, lines.join(""));
}

async function write(metadata, values, out) {
  // zarrita creates arrays from arguments. From a document it can only open an existing array.
  fs.mkdirSync(out);
  fs.copyFileSync(metadata, path.join(out, "zarr.json"));
  const array = await zarr.open(new FileSystemStore(out), { kind: "array" });
  const lines = fs.readFileSync(values, "utf8").split("\n").slice(0, -1);
  const chunk = await emptyLike(array, lines.length);
  lines.forEach((line, at) => put(chunk, at, line, array.dtype));
  if (array.shape.length === 0) {
    await zarr.set(array, null, typeof chunk.get === "function" ? chunk.get(0) : chunk[0]);
    return;
  }
  const stride = array.shape.map((_, axis) => array.shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  await zarr.set(array, null, { data: chunk, shape: array.shape, stride });
}

async function open(node) {
  await zarr.open(new FileSystemStore(node));
}

// A scalar has no strides.
function elements(got, array) {
  if (array.shape.length === 0) return [form(got, array.dtype)];
  const { data } = got;
  const all = isFloats(data) ? floats(data, array.dtype) : items(data).map((element) => form(element, array.dtype));
  return offsets(got.shape, got.stride).map((at) => all[at]);
}

function items(data) {
  if (typeof data.get !== "function") return globalThis.Array.from(data);
  return globalThis.Array.from({ length: data.length }, (_, at) => data.get(at));
}

// The positions of the elements, in C order.
function offsets(shape, stride) {
  return shape.reduce(
    (before, length, axis) => before.flatMap((at) => globalThis.Array.from({ length }, (_, i) => at + i * stride[axis])),
    [0],
  );
}

function isFloats(data) {
  const float16 = typeof Float16Array !== "undefined" && data instanceof Float16Array;
  return float16 || data instanceof Float32Array || data instanceof Float64Array;
}

function form(element, dtype) {
  if (typeof element === "bigint") return element.toString();
  if (typeof element === "number" && dtype.startsWith("float")) {
    const one = { float32: Float32Array, float64: Float64Array }[dtype] ?? Float16Array;
    return floats(one.of(element), dtype)[0];
  }
  return JSON.stringify(element);
}

// Values that JSON numbers cannot express are written as bits, directly from memory.
function floats(data, dtype) {
  const size = data.BYTES_PER_ELEMENT;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return globalThis.Array.from({ length: data.length }, (_, at) => {
    if (Number.isFinite(data[at]) && !Object.is(data[at], -0)) return JSON.stringify(data[at]);
    if (data[at] === Infinity) return '"Infinity"';
    if (data[at] === -Infinity) return '"-Infinity"';
    const bits = bitsAt(view, at * size, size);
    return bits === USUAL_NAN[dtype] ? '"NaN"' : `"${bits}"`;
  });
}

function bitsAt(view, at, size) {
  let bits = "0x";
  for (let byte = size - 1; byte >= 0; byte--) bits += view.getUint8(at + byte).toString(16).padStart(2, "0");
  return bits;
}

// The same kind of array as zarrita reads into.
async function emptyLike(array, length) {
  const { data } = await array.getChunk(array.shape.map(() => 0));
  if (globalThis.Array.isArray(data)) return new globalThis.Array(length);
  return new data.constructor(length);
}

function put(data, at, line, dtype) {
  const element = dtype === "int64" || dtype === "uint64" ? BigInt(line) : JSON.parse(line);
  if (dtype.startsWith("float") && typeof element === "string") {
    const bits = element === "NaN" ? USUAL_NAN[dtype] : element;
    if (bits.startsWith("0x")) {
      const view = new DataView(data.buffer);
      const size = data.BYTES_PER_ELEMENT;
      for (let byte = 0; byte < size; byte++) {
        view.setUint8(at * size + byte, parseInt(bits.slice(2 * (size - byte), 2 * (size - byte) + 2), 16));
      }
      return;
    }
    data[at] = Number(element);
    return;
  }
  if (typeof data.set === "function" && typeof data.get === "function") data.set(at, element);
  else data[at] = element;
}

// The error of a codec is the cause of the pipeline's error.
function isUnsupported(error) {
  if (zarr.isZarritaError(error, "UnknownCodecError", "UnsupportedError")) return true;
  if (zarr.isZarritaError(error, "InvalidMetadataError") && /unknown or unsupported|unsupported or unknown|unknown chunk key/i.test(error.message)) return true;
  return error.cause instanceof Error && isUnsupported(error.cause);
}

// It expects the name of a data type to be a string, and throws for data types with a configuration.
function hasConfiguredType(command, file) {
  try {
    const { data_type } = JSON.parse(fs.readFileSync(command === "write" ? file : path.join(file, "zarr.json")));
    return Object.keys(data_type.configuration ?? {}).length > 0;
  } catch {
    return false;
  }
}

async function run(command, ...rest) {
  try {
    await COMMANDS[command](...rest);
    return { status: DONE, text: "" };
  } catch (error) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return { status: isUnsupported(error) || hasConfiguredType(command, rest[0]) ? UNSUPPORTED : REFUSED, text: `${error.name}: ${error.message}${cause}` };
  }
}

async function session() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await run(...JSON.parse(line)))}\n`);
  }
}

const [command, ...rest] = process.argv.slice(2);
if (command === "version") {
  const main = createRequire(import.meta.url).resolve.paths("zarrita").map((folder) => path.join(folder, "zarrita/package.json"));
  console.log(JSON.parse(fs.readFileSync(main.find((file) => fs.existsSync(file)))).version);
} else if (command === "session") {
  await session();
} else {
  const { status, text } = await run(command, ...rest);
  if (text) console.error(text);
  process.exitCode = status;
}
