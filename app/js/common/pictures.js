// Files saved by a page: pictures of figures with their heads, and tables, each with the release.

// The release is in a text chunk of a PNG and in the description of an SVG. build.mjs defines both constants.
export const RELEASE = LAB_RELEASE

const PNG_HEAD = 33 // bytes of a PNG before its first optional chunk: signature and header have a fixed length
const PNG_RELEASE = new Uint8Array(LAB_PNG_CHUNK)

async function stamped(blob) {
  if (blob.type === "image/png") return new Blob([blob.slice(0, PNG_HEAD), PNG_RELEASE, blob.slice(PNG_HEAD)], {type: blob.type})
  if (blob.type !== "image/svg+xml") return blob
  const drawn = await blob.text()
  return new Blob([drawn.replace(/<svg[^>]*>/, tag => `${tag}<desc>${RELEASE}</desc>`)], {type: blob.type})
}

export async function saveFile(name, data) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(await stamped(data))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}

/** Return a table as CSV text, with the release at the end of each row. */
export function csvText(names, rows) {
  return [[...names, "made_with"], ...rows.map(row => [...row, RELEASE])].map(row => `${row.join(",")}\n`).join("")
}

const TEXTS = {csv: "text/csv", json: "application/json"}

/** Save the CSV or JSON text that the server sends after a click; `name()` returns the file name. */
export function savesTexts(model, name) {
  model.on("msg:custom", message => {
    for (const [kind, type] of Object.entries(TEXTS)) if (message[kind] !== undefined) saveFile(`${name()}.${kind}`, new Blob([message[kind]], {type}))
  })
}

// Picture, PNG or SVG, of the displayed figures of a card with their titles.
export function plotViews(view) {
  if (["Figure", "Plot"].includes(view?.model?.type)) return [view]
  return (view?.child_views ?? []).flatMap(plotViews)
}

// heads: [title, subtitle] per figure; title: of the picture, or null; columns: number of figures per row; band: pixels above
// a figure for its head, or 0 to write it into the figure
export async function savePicture(root, views, {format, filename, heads, title = null, columns = 1, band = 30}) {
  views = views.flatMap(plotViews)
  if (!views.length) return
  const sheets = views.map(v => v.export(format, true)), density = sheets[0].pixel_ratio
  const tiles = sheets.map(sheet => [sheet.canvas.width, sheet.canvas.height]), step = band * density
  if (format === "svg") views.forEach((v, k) => { tiles[k] = [v.bbox.width, v.bbox.height] })
  const rows = []
  for (let k = 0; k < tiles.length; k += columns) rows.push(tiles.slice(k, k + columns))
  const top = title ? step : 0, tall = row => Math.max(...row.map(t => t[1])) + step
  const width = Math.max(...rows.map(row => row.reduce((sum, t) => sum + t[0], 0)))
  const height = top + rows.reduce((sum, row) => sum + tall(row), 0)
  const picture = new sheets[0].constructor(format === "svg" ? "svg" : "canvas", true)
  picture.resize(width / density, height / density)
  const pen = picture.ctx, style = getComputedStyle(root)
  const colour = name => style.getPropertyValue(name).trim()
  const plain = html => { const t = document.createElement("template"); t.innerHTML = html ?? ""; return t.content.textContent }
  const write = ([name, subtitle], x, y) => {
    pen.textBaseline = "middle"; pen.textAlign = "left"
    pen.fillStyle = colour("--lab-ink"); pen.font = `700 ${14 * density}px Roboto, Arial, sans-serif`
    const text = plain(name), wide = pen.measureText(text).width
    pen.fillText(text, x + 14 * density, y)
    pen.fillStyle = colour("--lab-ink2"); pen.font = `400 ${12 * density}px Roboto, Arial, sans-serif`
    pen.fillText(plain(subtitle), x + 26 * density + wide, y)
  }
  pen.fillStyle = colour("--lab-card")
  pen.fillRect(0, 0, width, height)
  if (title) write(title, 0, step / 2)
  let y = top, k = 0
  for (const row of rows) {
    let x = 0
    for (const [wide] of row) {
      pen.drawImage(sheets[k].canvas, x, y + step)
      write(heads[k] ?? ["", ""], x, y + (band ? step / 2 : 12 * density))
      x += wide; k++
    }
    y += tall(row)
  }
  saveFile(`${filename}.${format}`, await picture.to_blob())
}
