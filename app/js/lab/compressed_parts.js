// Parts of the file: base64 of deflated bytes in elements that no browser runs. `app/extras/lab_file/page_file.py` writes them.

/** Bytes of base64. */
export function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i) // several times as fast as Uint8Array.from
  return bytes
}

/** The bytes that a text packs, as a response of that type. */
export function inflated(text, type = "application/octet-stream") {
  return new Response(new Blob([bytesOf(text.trim())]).stream().pipeThrough(new DecompressionStream("deflate")), {headers: {"Content-Type": type}})
}

/** The text that is packed in an element of the page; null where there is none. */
export async function unpackText(id) {
  const node = document.getElementById(id)
  return node && inflated(node.textContent).text()
}

export async function unpackJson(id) { return JSON.parse(await unpackText(id)) }

/** Base64 of bytes. */
export function textOf(bytes) {
  let letters = ""
  for (let i = 0; i < bytes.length; i += 32768) letters += String.fromCharCode(...bytes.subarray(i, i + 32768)) // a call takes so many arguments
  return btoa(letters)
}

/** What `inflated` takes back of a text. */
export async function pack(text) {
  return textOf(new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer()))
}
