"""A page of Chromium in which modules of `app/js` run on the WebAssembly module, all of it served from this process."""

from contextlib import contextmanager

from app.js.bundles import FOLDER
from sampler.wasm import MANIFEST, MODULE

HOST = "http://lab.test/"
HARNESS = """<script type=module>
import {{Kernels}} from "/lab/kernels.js"
{imports}
const [module, manifest] = await Promise.all(["/lab.wasm", "/manifest.json"].map(name => fetch(name)))
Object.assign(window, {{{names}, kernels: await Kernels.load(await module.arrayBuffer(), await manifest.json())}})
</script>"""


@contextmanager
def module_page(chromium, **modules):
    """Page with `kernels` and these names on its window, each from the module it is given; no error is left unsaid."""
    page, errors = chromium.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    harness = HARNESS.format(names=", ".join(modules), imports="\n".join(
        f'import {{{name}}} from "/{path}"' for name, path in modules.items()))

    def serve(route):
        name = route.request.url.removeprefix(HOST)
        path = {"lab.wasm": MODULE, "manifest.json": MANIFEST}.get(name, FOLDER / name)
        if not name:
            route.fulfill(body=harness, content_type="text/html;charset=utf-8")
        elif path.suffix == ".js":
            route.fulfill(path=path, content_type="text/javascript;charset=utf-8")
        else:
            route.fulfill(path=path) if path.is_file() else route.fulfill(status=204)

    page.route(f"{HOST}**", serve)
    page.goto(HOST)
    page.wait_for_function("window.kernels")
    yield page
    page.close()
    assert errors == []
