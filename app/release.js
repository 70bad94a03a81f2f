// Pictures say which release made them: a text chunk of a PNG, the description of an SVG. RELEASE and PNG_RELEASE stand above.
async function stamped(blob) {
  if (blob.type === "image/png") return new Blob([blob.slice(0, PNG_HEAD), new Uint8Array(PNG_RELEASE), blob.slice(PNG_HEAD)], {type: blob.type})
  if (blob.type !== "image/svg+xml") return blob
  const drawn = await blob.text()
  return new Blob([drawn.replace(/<svg[^>]*>/, tag => `${tag}<desc>${RELEASE}</desc>`)], {type: blob.type})
}

