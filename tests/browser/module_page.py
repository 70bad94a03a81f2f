"""A page of Chromium with modules of `app/js` and the WebAssembly module, served from this process."""

import json
from contextlib import contextmanager

import pytest

from app.js.bundles import FOLDER
from app.state.live import LiveState
from sampler.wasm import MANIFEST, MODULE
from tests.browser.person import watch

HOST = "http://lab.test/"
KERNELS = """import {{Kernels}} from "/lab/kernels.js"
{imports}
const [module, manifest] = await Promise.all(["/lab.wasm", "/manifest.json"].map(name => fetch(name)))
const json = value => JSON.stringify(value, (key, one) => ArrayBuffer.isView(one) ? [...one] : one)
Object.assign(window, {{{names}, json, kernels: await Kernels.load(await module.arrayBuffer(), await manifest.json())}})"""
REPLACE = "export const replace = (whole, changes) => "
WHOLE = f"""{REPLACE}{{
  const made = replaced(whole, changes)
  for (const [name, value] of Object.entries({{...whole, ...changes}})) {{
    if (!Object.is(made[name], value)) throw new TypeError(`the constructor of ${{whole.constructor.name}} drops ${{name}}`)
  }}
  return made
}}
const replaced = (whole, changes) => """
"""Translation of `dataclasses.replace` with a check that the class's constructor, which may be written by hand, drops no
field."""


def linked(config, state=LiveState):
    """Return the fields of a configuration that a link stores, as a page receives them."""
    return json.loads(json.dumps({name: getattr(config, name) for name in state.linked()}))


@contextmanager
def script_page(chromium, script, before="", tab=None, **window):
    """Open a page that has run a script after the HTML ``before``; files of `app/js` have their paths, errors fail.

    A given ``tab`` is reused and stays open, which saves starting the browser's processes.
    """
    page, errors = tab or chromium.new_page(**window), []
    watch(page, errors, HOST)
    html = f"{before}<script type=module>{script}\nwindow.ready = true</script>"

    def serve(route):
        name = route.request.url.removeprefix(HOST)
        path = {"lab.wasm": MODULE, "manifest.json": MANIFEST}.get(name, FOLDER / name)
        if not name:
            route.fulfill(body=html, content_type="text/html;charset=utf-8")
        elif name == "lab/python.js":
            whole = path.read_text(encoding="utf-8").replace(REPLACE, WHOLE)
            assert WHOLE in whole
            route.fulfill(body=whole, content_type="text/javascript;charset=utf-8")
        elif path.suffix == ".js":
            route.fulfill(path=path, content_type="text/javascript;charset=utf-8")
        else:
            route.fulfill(path=path) if path.is_file() else route.fulfill(status=204)

    page.route(f"{HOST}**", serve)
    page.goto(HOST)
    page.wait_for_function("window.ready")
    yield page
    page.unroute(f"{HOST}**") if tab else page.close()
    assert errors == []


def module_page(chromium, **modules):
    imports = "\n".join(f'import {{{name}}} from "/{path}"' for name, path in modules.items())
    return script_page(chromium, KERNELS.format(names=", ".join(modules), imports=imports))


def fixture_of(opened, *arguments, **options):
    """Return a module-scoped fixture of a `script_page` or a `module_page`."""
    @pytest.fixture(scope="module")
    def page(chromium):
        with opened(chromium, *arguments, **options) as page:
            yield page

    return page
