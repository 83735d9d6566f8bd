// Converts the elements of an array to JSON, each in the form of a fill value of its data type, like `../elements.py`.

const USUAL_NAN = { float32: "0x7fc00000", float64: "0x7ff8000000000000" };

/** One text with a list of the elements, in C order. */
export function toJson(dataType, elements) {
  const form = dataType.startsWith("float") ? (element) => float(dataType, element) : String;
  return `[${Array.from(elements, form).join(", ")}]\n`;
}

function float(dataType, element) {
  if (Number.isNaN(element)) return nan(dataType, element);
  if (Object.is(element, -0)) return `"${hexadecimal(dataType, element)}"`;
  if (!Number.isFinite(element)) return element > 0 ? '"Infinity"' : '"-Infinity"';
  return dataType === "float64" ? String(element) : shortest(element);
}

/** The number with the fewest digits that is read back as the element, which is of 32 bits. */
function shortest(element) {
  for (let digits = 1; digits < 10; digits++) {
    const number = Number(element.toPrecision(digits));
    if (Math.fround(number) === element) return String(number);
  }
  throw new Error(`${element} is not read back`);
}

function nan(dataType, element) {
  const bits = hexadecimal(dataType, element);
  if (bits !== USUAL_NAN[dataType]) throw new Error(`JavaScript keeps no bits of a NaN, yet has ${bits}`);
  return '"NaN"';
}

function hexadecimal(dataType, element) {
  const view = new DataView(new ArrayBuffer(8));
  if (dataType === "float64") view.setFloat64(0, element);
  else view.setFloat32(0, element);
  const bytes = new Uint8Array(view.buffer, 0, dataType === "float64" ? 8 : 4);
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
