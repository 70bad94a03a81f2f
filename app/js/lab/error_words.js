// Message of an exception for the page, as in `app/error_words.py`.

const NO_MEMORY = "out of memory. Use fewer chains, rows or dimensions, or close other programs"

/** Return the message of an exception that ended a job; for a fault inside a computation only its type. */
export function errorWords(error) {
  const {name = "Error", message = String(error)} = error ?? {}
  if (/memory/i.test(message) && /no memory|out of memory|allocat|grow/i.test(message)) return NO_MEMORY
  if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
    return "this browser cannot run the sampler in this file; download the file again, or use a browser of 2023 or later"
  }
  if (error instanceof WebAssembly.RuntimeError || error instanceof TypeError || error instanceof ReferenceError) {
    return `a computation failed (${name})`
  }
  return message
}
