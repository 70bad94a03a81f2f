// Reads what app/recording/packing.py packs: named arrays, deflated, in base64.

const ARRAYS = { i2: Int16Array, i4: Int32Array, f4: Float32Array, u1: Uint8Array };

/** Name -> array. Values lie byte by byte in the file: all low bytes, then all next ones. */
export async function unpack(directory, text) {
  const coded = atob(text);
  const bytes = new Uint8Array(coded.length);
  for (let i = 0; i < coded.length; i++) bytes[i] = coded.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const found = {};
  let at = 0;
  for (const [name, kind, count] of directory) {
    const values = new ARRAYS[kind](count);
    const size = values.BYTES_PER_ELEMENT;
    const own = new Uint8Array(values.buffer);
    for (let plane = 0; plane < size; plane++) {
      for (let i = 0, from = at + plane * count; i < count; i++) own[i * size + plane] = data[from + i];
    }
    at += size * count;
    found[name] = values;
  }
  return found;
}

/** A value that was packed as words. */
export const wordsOf = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

/** Undo app/recording/packing.py differences, in place, for rows of `length` values; sums wrap round in 16 bits. */
export function accumulate(values, length) {
  for (let row = 0; row < values.length; row += length) {
    for (let i = row + 1; i < row + length; i++) values[i] += values[i - 1];
  }
}

/** Index of the last of the ascending values that is at most `wanted`; -1 when none is. */
export function lastUpTo(ascending, wanted) {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
