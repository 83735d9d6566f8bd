// Writes the golden arrays that zarrita can write.
//
//     npm ci && node zarrita.js
//
// zarrita encodes bytes, transpose, zstd and lz4 itself. Its gzip and zlib only decode, so those of its companion
// numcodecs.js are registered in their place, as its users do. It only reads crc32c, sharding and vlen-utf8.
// gzip stores the time in each chunk; the clock is stopped, so that a second run writes the same files.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import FileSystemStore from "@zarrita/storage/fs";
import * as zarr from "zarrita";
import { CASES } from "./cases.js";
import { toJson } from "./elements.js";

Date.now = () => 0;
const FOLDER = new URL("../../cases/", import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const WRITER = `zarrita ${dependencies.zarrita} with numcodecs.js ${dependencies.numcodecs}`;

for (const name of ["gzip", "zlib"]) {
  const codec = () => import(`numcodecs/${name}`).then((module) => module.default);
  zarr.registry.set(name, codec).set(`numcodecs.${name}`, codec);
}

async function writeArray(path, given) {
  const array = await zarr.create(new FileSystemStore(path), {
    shape: given.shape,
    chunkShape: given.chunkShape,
    dtype: given.dataType,
    codecs: given.codecs,
    fillValue: given.fillValue,
    chunkSeparator: given.separator,
    dimensionNames: given.dimensionNames,
  });
  if (given.shape.length === 0) return zarr.set(array, null, given.elements[0]);
  // Chunks without any of the first elements of an array of rank 1 are not written.
  const selection = given.written === undefined ? null : [zarr.slice(0, given.written)];
  const data = given.elements.slice(0, given.written);
  const shape = given.written === undefined ? given.shape : [given.written];
  const stride = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  return zarr.set(array, selection, { data: boolean(given.dataType, data), shape, stride });
}

/** A bool is a number in our tables. */
function boolean(dataType, data) {
  return dataType === "bool" ? new zarr.BoolArray(data.buffer) : data;
}

async function readArray(path, dataType) {
  const array = await zarr.open(zarr.root(new FileSystemStore(path)), { kind: "array" });
  const chunk = await zarr.get(array);
  if (array.shape.length === 0) return [chunk];
  const found = [];
  for (let i = 0; i < array.shape.reduce((a, b) => a * b, 1); i++) {
    let [at, rest] = [0, i];
    for (let d = array.shape.length - 1; d >= 0; d--) {
      at += (rest % array.shape[d]) * chunk.stride[d];
      rest = Math.floor(rest / array.shape[d]);
    }
    found.push(dataType === "bool" ? Number(chunk.data.get(at)) : chunk.data[at]);
  }
  return found;
}

for (const given of CASES) {
  const folder = new URL(`${given.folder}/zarrita-${given.label}/`, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const array = new URL("array.zarr", folder).pathname;
  await writeArray(array, given);
  const json = (elements) =>
    given.dataType === "bool" ? `[${elements.map(Boolean).join(", ")}]\n` : toJson(given.dataType, elements);
  const elements = json(Array.from(given.elements));
  if (json(await readArray(array, given.dataType)) !== elements) {
    throw new Error(`${folder}: zarrita does not read back what it was given`);
  }
  const about = {
    clause: given.clause,
    writer: WRITER,
    generator: "conformance/generate/zarrita/zarrita.js",
    about: given.about,
  };
  writeFileSync(new URL("elements.json", folder), elements);
  writeFileSync(new URL("case.json", folder), `${JSON.stringify(about)}\n`);
}
console.log(`${CASES.length} cases written by zarrita`);
