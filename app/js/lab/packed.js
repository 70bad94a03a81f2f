// Parts of the file: base64 of deflated bytes in elements that no browser runs. `app/extras/lab_file/page_file.py` writes them.

const through = (bytes, way) => new Response(new Blob([bytes]).stream().pipeThrough(way)).arrayBuffer()

/** Bytes of base64. */
export function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i) // several times as fast as Uint8Array.from
  return bytes
}

/** The bytes that are packed in an element of the page; null where there is none. */
export async function unpack(id) {
  const node = document.getElementById(id)
  return node && new Uint8Array(await through(bytesOf(node.textContent.trim()), new DecompressionStream("deflate")))
}

export async function unpackText(id) {
  const bytes = await unpack(id)
  return bytes && new TextDecoder().decode(bytes)
}

export async function unpackJson(id) { return JSON.parse(await unpackText(id)) }

/** What `unpack` takes back of a text. */
export async function pack(text) {
  const bytes = new Uint8Array(await through(new TextEncoder().encode(text), new CompressionStream("deflate")))
  let letters = ""
  for (let i = 0; i < bytes.length; i += 32768) letters += String.fromCharCode(...bytes.subarray(i, i + 32768)) // a call takes so many arguments
  return btoa(letters)
}
