"""Private parts of other packages are not read, set, imported, overridden or replaced."""

from tests.private_names import Project

ALLOWED = {
    "app.loopback: sets bokeh.server.server.bind_sockets":
        "listens on 127.0.0.1 unless --address is set, small frames do not wait: https://github.com/bokeh/bokeh/issues/3129",
    "app.canvas.chain_canvas: reads ._models":
        "frames are sent before a view is shown; Panel has no public way to check whether a component is rendered",
}
"""At most three places as ``module: operation``, each with its benefit and the upstream issue."""

COMPONENT = "from panel.custom import JSComponent\nclass Own(JSComponent):\n "
SESSION = "from bokeh.server.session import ServerSession\nclass Own(ServerSession):\n "
THROUGH_OURS = "from app.first import First\nclass Second(First):\n "
SNIPPETS = {
    "imports bokeh.io.doc._PATCHED_CURDOCS": "from bokeh.io.doc import _PATCHED_CURDOCS",
    "imports numpy._core": "import numpy._core",
    "reads ._socket": "def sockets(connection): return connection._socket",
    "sets ._connecting": "stream._connecting = True",
    "sets ._token": "session._token, other = one, two",
    "sets ._login_template": "for handler._login_template in templates: pass",
    "names _sessions": "getattr(context, '_sessions')",
    "names _handle_write": "hasattr(stream, '_handle_write')",
    "names _cache": "vars(kernel)['_cache']",
    "names _garbage_collect": "for name in ('_garbage_collect',): setattr(module, name, None)",
    "overrides Own._get_properties": COMPONENT + "def _get_properties(self, doc): pass",
    "overrides Own._linked_properties": COMPONENT + "_linked_properties = ()",
    "overrides Own._handle_pull": SESSION + "def __init__(self): self._handle_pull = None",
    "overrides Second._patch_datamodel_ref": THROUGH_OURS + "def _patch_datamodel_ref(self, ref): pass",
    "reads ._models": THROUGH_OURS + "def all(self): return self._models",
    "sets bokeh.server.server.bind_sockets": "from bokeh.server import server\nserver.bind_sockets = None",
    "sets panel.auth.Basic.login_handler": "from panel import auth\n(auth.Basic.login_handler, a) = 1, 2",
    "sets panel.state.curdoc.theme": "import panel as pn\npn.state.curdoc.theme = None",
    "replaces panel.io.server.bundle_resources": "from panel.io import server\nsetattr(server, 'bundle_resources', None)",
    "replaces panel.io.document._garbage_collect": "from panel.io import document\nours(document, '_garbage_collect', None)",
    "replaces bokeh.protocol.messages.patch_doc.Serializer":
        "import sys\nfrom bokeh.protocol.messages import patch_doc\nhome = sys.modules[patch_doc.__module__]\n"
        "replace(home, 'Serializer', None)",
    "replaces holoviews.plotting.renderer.?": "from holoviews.plotting import renderer\nsetattr(renderer, name, None)",
    "replaces method on_pong": "import tornado.websocket\nhandler.on_pong = lambda data: None",
    "replaces method initialize_document": "import bokeh\ndef ours(doc): pass\napplication.initialize_document = ours",
    "changes bokeh.server.urls.per_app_patterns": "from bokeh.server import urls\nurls.per_app_patterns[0] = None",
}
FIRST = "from panel.custom import JSComponent\nclass First(JSComponent): _esm = ''"
HARMLESS = """
import panel as pn
from collections import namedtuple
from app.first import First
pn.config.reconnect = True
class Own(First):
    _esm, _stylesheets = '', []
    def __init__(self): self._kept = 1
    def _handle_msg(self, data): return self._kept, pair._replace(a=1), f'{data}_source', {'_source': 1}
    def take(self, other): return other._kept
figure.x_range.start = 0
"""


def test_every_kind_of_use_is_detected():
    for what, text in SNIPPETS.items():
        findings = Project({"app.own": text, "app.first": FIRST}).findings()
        assert what in [place for name, _, place in findings if name == "app.own"]


def test_documented_and_own_names_are_not_reported():
    assert Project({"app.own": HARMLESS, "app.first": FIRST}).findings() == []


def test_nothing_private_of_another_package_is_touched():
    places = [(f"{name}: {what}", line) for name, line, what in Project.from_disk().findings()]
    assert [(place, line) for place, line in places if place not in ALLOWED] == [], "use public names"
    assert len(ALLOWED) <= 3 and set(ALLOWED) <= {place for place, _ in places}
