// What a fault inside is called on the page, as `app/error_words.py`.

const NO_MEMORY = "there was no memory left for it. Choose less (chains, rows or dimensions), or close other programs"

/** Words about what ended some work; of a fault in a computation, whose words mean nothing here, only the kind. */
export function errorWords(error) {
  const {name = "Error", message = String(error)} = error ?? {}
  if (/memory/i.test(message) && /no memory|out of memory|allocat|grow/i.test(message)) return NO_MEMORY
  if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
    return "the sampler in this file cannot be read by this browser; take the file anew, or a browser of 2023 or later"
  }
  if (error instanceof WebAssembly.RuntimeError || error instanceof TypeError || error instanceof ReferenceError) {
    return `a computation failed (${name})`
  }
  return message
}
