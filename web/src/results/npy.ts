// Reads NumPy's .npy format as the service writes it: little-endian 64-bit floats, row-major.

export interface NumberArray {
  shape: number[];
  data: Float64Array;
}

export function parseNpy(buffer: ArrayBuffer): NumberArray {
  const bytes = new DataView(buffer);
  if (buffer.byteLength < 10 || bytes.getUint32(0) !== 0x934e554d || bytes.getUint16(4) !== 0x5059)
    throw new Error("not an .npy file");
  const longHeader = bytes.getUint8(6) >= 2;
  const headerStart = longHeader ? 12 : 10;
  const headerSize = longHeader ? bytes.getUint32(8, true) : bytes.getUint16(8, true);
  const header = new TextDecoder().decode(new Uint8Array(buffer, headerStart, headerSize));
  if (!header.includes("'<f8'") || header.includes("'fortran_order': True"))
    throw new Error(`an .npy file of another kind: ${header}`);
  const shape = (/'shape': \(([^)]*)\)/.exec(header)?.[1] ?? "")
    .split(",")
    .map((size) => size.trim())
    .filter((size) => size !== "")
    .map(Number);
  // The data is copied, because a Float64Array must begin at an aligned offset.
  return { shape, data: new Float64Array(buffer.slice(headerStart + headerSize)) };
}
