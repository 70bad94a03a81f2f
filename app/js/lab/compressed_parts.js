// Parts of the lab file: base64 of deflated bytes in inert elements, written by `app/extras/lab_file/page_file.py`.

/** Decode base64. */
export function bytesOf(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i) // several times faster than Uint8Array.from
  return bytes
}

/** Return the inflated bytes of a base64 text as a response of a media type. */
export function inflated(text, type = "application/octet-stream") {
  return new Response(new Blob([bytesOf(text.trim())]).stream().pipeThrough(new DecompressionStream("deflate")), {headers: {"Content-Type": type}})
}

/** Return the text packed in an element of the page, or null without such an element. */
export async function unpackText(id) {
  const node = document.getElementById(id)
  return node && inflated(node.textContent).text()
}

export async function unpackJson(id) { return JSON.parse(await unpackText(id)) }

/** Encode bytes as base64. */
export function textOf(bytes) {
  let letters = ""
  for (let i = 0; i < bytes.length; i += 32768) letters += String.fromCharCode(...bytes.subarray(i, i + 32768)) // the number of arguments of a call is limited
  return btoa(letters)
}

/** Return the deflated text in base64, the inverse of `inflated`. */
export async function pack(text) {
  return textOf(new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer()))
}
