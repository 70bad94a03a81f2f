// Bundles the scripts of the browser: `npm ci && npm run build` in this folder writes dist/<entry>-<hash>.js. Run it after each
// change of a script here or of the version, which saved pictures contain. Each third-party library is bundled into one module,
// dist/libraries/<name>.js, so that the sources also run unbundled.
import {createHash} from "node:crypto"
import {mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from "node:fs"
import {dirname, join, sep} from "node:path"
import {fileURLToPath} from "node:url"
import {crc32} from "node:zlib"
import {build} from "esbuild"

const HERE = dirname(fileURLToPath(import.meta.url)), OUT = process.argv[2] ?? join(HERE, "dist")
const ENTRIES = { // name -> source and format
  lab: ["lab.js", "esm"], // all components of the pages: a default export keyed by the name of the Python class
  loading: ["chrome/loading.js", "iife"], // first script in the head of a page
  lab_file: ["lab/page.js", "esm"], // the lab file, without a server
  lab_theme: ["lab/theme.js", "iife"], // in the head of the lab file
  lab_start: ["lab/start.js", "iife"], // after the kernels of the lab file: starts the worker while the rest is parsed
  lab_worker: ["lab/worker.js", "iife"], // web worker of the lab file, which computes the run
}
const {dependencies} = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"))
const version = /VERSION = "([\d.]+)"/.exec(readFileSync(join(HERE, "../../sampler/version.py"), "utf8"))[1]
const release = `Exit-Time Lab ${version}`

function pngText(keyword, text) { // text chunk of a PNG: ISO/IEC 15948, 11.3.4.3 tEXt
  const body = Buffer.from(`tEXt${keyword}\0${text}`, "latin1"), length = Buffer.alloc(4), check = Buffer.alloc(4)
  length.writeUInt32BE(body.length - 4)
  check.writeUInt32BE(crc32(body))
  return [...length, ...body, ...check]
}

mkdirSync(join(OUT, "libraries"), {recursive: true})
for (const name of Object.keys(dependencies)) {
  await build({entryPoints: [name], absWorkingDir: HERE, bundle: true, minify: true, format: "esm", target: "es2022", charset: "utf8",
    legalComments: "inline", outfile: join(OUT, "libraries", `${name}.js`)})
}
for (const file of readdirSync(OUT, {withFileTypes: true})) if (file.isFile()) rmSync(join(OUT, file.name))
for (const [name, [source, format]] of Object.entries(ENTRIES)) {
  const {outputFiles: [{contents}]} = await build({
    entryPoints: [join(HERE, source)], absWorkingDir: HERE, bundle: true, minify: true, write: false, format, target: "es2022",
    charset: "utf8", legalComments: "none", loader: {".woff2": "binary"},
    define: {LAB_RELEASE: JSON.stringify(release), LAB_PNG_CHUNK: JSON.stringify(pngText("Software", release))},
  })
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 12)
  writeFileSync(join(OUT, `${name}-${hash}.js`), contents)
  console.log(`${name}-${hash}.js ${(contents.length / 1000).toFixed(0)} kB`)
}

// Digest of the bundled sources, with which a test detects changed sources without Node.
const sources = readdirSync(HERE, {recursive: true}).map(name => name.split(sep).join("/"))
  .filter(name => /\.(m?js|json)$/.test(name) && !/^(dist\/(?!translated\/)|node_modules\/)/.test(name)).sort()
const digest = createHash("sha256").update(version)
for (const name of sources) digest.update(name).update(readFileSync(join(HERE, name)))
writeFileSync(join(OUT, "sources.sha256"), `${digest.digest("hex")}\n`)
