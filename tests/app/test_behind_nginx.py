"""The page *Serve it to others*: nginx in front of the dashboard, TLS, prefix, processes, limits, origins, password."""

import base64
import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPSHandler, Request, build_opener, urlopen

import pytest
from bokeh.util.token import generate_jwt_token, get_session_id

from tests.ports import free_port, wait_until_it_listens
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]
SERVE = ROOT / "assets" / "docs" / "pages" / "how-to" / "serve.md"
CLASS = SERVE.with_name("class.md")
PATIENCE = 240  # seconds: the first visit may compile

pytestmark = pytest.mark.journey


def program(name: str) -> str:
    path = shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin:/bin:/usr/local/bin")
    if path is None:
        reason = f"{name} is not installed: apt-get install nginx-light openssl"
        pytest.fail(reason) if os.environ.get("EXIT_TIME_LAB_BROWSER") == "required" else pytest.skip(reason)
    return path


class Site:
    """The dashboard behind nginx, as the page configures it except for ports, paths and the host name.

    Runs the first ``processes`` of the page's commands with ``options`` appended, or none if ``behind`` lists the ports
    of another site's processes; ``changes`` are (before, after) replacements in the nginx configuration.
    """

    def __init__(self, folder: Path, *options: str, processes: int = 1, behind: Sequence[int] = (),
                 changes: tuple[tuple[str, str], ...] = (("limit_conn sockets 40", "limit_conn sockets 3"),)) -> None:
        nginx, openssl = program("nginx"), program("openssl")
        self.port, self.behind = free_port(), behind or [free_port() for _ in range(processes)]
        self.host, self.routes = f"127.0.0.1:{self.port}", folder / "routes.log"
        subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "lab.key", "-out", folder / "lab.pem"],
                       check=True, capture_output=True)
        self.tls = ssl.create_default_context(cafile=folder / "lab.pem")
        page = SERVE.read_text(encoding="utf-8")
        block = re.search(r"```nginx\n(.*?)```", page, re.DOTALL).group(1)
        servers = "".join(f"    server 127.0.0.1:{port};\n" for port in self.behind)
        for documented, here in (("listen 443", f"listen 127.0.0.1:{self.port}"), ("/etc/ssl/", f"{folder}/"),
                                 ("lab.example.org", "127.0.0.1"), *changes,
                                 ("    server 127.0.0.1:5006;\n    server 127.0.0.1:5007;\n", servers)):
            assert documented in block
            block = block.replace(documented, here)
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in
                            ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\n"
            f"log_format routes '$http_user_agent $uri $upstream_addr';\naccess_log {self.routes} routes;\n"
            f"{temporary}{block}}}\n")
        self.log = folder / "panel.log"
        commands = re.findall(r"^panel (serve app --port 500\d --prefix.*)$", page, re.MULTILINE)[:processes]
        self.panels = []
        for port, command in () if behind else zip(self.behind, commands, strict=True):
            with open(self.log, "a") as log:
                arguments = re.sub(r"500\d", str(port), command).replace("lab.example.org", self.host)
                before, _, behind = arguments.partition(" --args ")
                own = behind.split() if "--args" not in options else []  # the command line accepts one --args
                self.panels.append(subprocess.Popen(
                    [sys.executable, "-u", "-m", "panel", *before.split(), *options, *(["--args", *own] if own else [])],
                    cwd=ROOT, stdout=log, stderr=log, env=os.environ | {"BOKEH_SECRET_KEY": "of this test"}))
        with open(folder / "nginx.log", "w") as log:
            self.nginx = subprocess.Popen([nginx, "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf"],
                                          stdout=log, stderr=log)
        for port, panel in zip(self.behind, self.panels, strict=not behind):
            wait_until_it_listens(port, panel, self.log, PATIENCE)
        wait_until_it_listens(self.port, self.nginx, folder / "nginx.log", PATIENCE)

    def close(self) -> None:
        for process in (self.nginx, *self.panels):
            process.terminate()
            process.wait(60)

    def ask(self, path: str, data: bytes | None = None, method: str | None = None, **headers: str) -> tuple[int, str]:
        """Return the status and text of a response."""
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            request = Request(f"https://{self.host}{path}", data, named, method=method)
            answer = urlopen(request, timeout=PATIENCE, context=self.tls)
        except HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.read().decode("utf-8", "replace")

    def token(self, **headers: str) -> str:
        return token_in(self.ask("/lab/app", **headers)[1])

    def handshake(self, tls: bool, origin: str, token: str, agent: str = "test",
                  hold: contextlib.ExitStack | None = None, cookies: str = "") -> str:
        """Return the answer to a websocket handshake, with the first message if it is accepted."""
        port = self.port if tls else self.behind[0]
        lines = (f"GET /lab/app/ws HTTP/1.1\r\nHost: {self.host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
                 f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: bokeh, {token}\r\n"
                 f"User-Agent: {agent}\r\nCookie: {cookies}\r\n"
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n")
        with contextlib.nullcontext(hold) if hold else contextlib.ExitStack() as opened:
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            if tls:
                connection = opened.enter_context(self.tls.wrap_socket(connection, server_hostname="127.0.0.1"))
            connection.sendall(lines.encode())
            answer = ""
            while not any(end in answer for end in ("ACK", " 403 ", " 429 ")) and (more := connection.recv(4096)):
                answer += more.decode("latin-1")
            return answer


def token_in(page: str) -> str:
    return page.partition('"token":"')[2].partition('"')[0]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Site(tmp_path_factory.mktemp("site"), processes=2)
    yield made
    made.close()


def test_a_page_and_its_parts_come_through_tls_below_the_prefix(site):
    page = site.ask("/lab/app")[1]
    assert "Exit-Time Lab" in page and token_in(page)
    part = re.search(r'src="([^"]*static/js/bokeh[^"]*\.js[^"]*)"', page).group(1)
    assert site.ask(part if part.startswith("/") else f"/lab/{part.removeprefix('./')}")[0] == 200


def test_both_processes_serve_and_a_browser_stays_at_one(site):
    """A page and its websocket must reach the same process, or the visit is built twice."""
    site.routes.write_text("", encoding="utf-8")  # an earlier attempt may have written there
    for number in range(12):  # all reach the same one of two processes in one of 2,000 runs
        visitor = Visitor(site, agent=f"browser-{number}")
        with contextlib.ExitStack() as hold:
            assert '"ACK"' in visitor.connect(visitor.ask("/lab/app")[1], hold)
        (cookie,) = visitor.cookies.cookiejar
        assert cookie.secure and cookie.has_nonstandard_attr("HttpOnly") and (cookie.name, cookie.path) == ("lab", "/lab/")
    routes = [line.split() for line in site.routes.read_text().splitlines() if line.startswith("browser-")]
    reached = {agent: {place for other, _, place in routes if other == agent} for agent, *_ in routes}
    assert {path for _, path, _ in routes} == {"/lab/app", "/lab/app/ws"}
    assert len(reached) == 12 and all(len(places) == 1 for places in reached.values())
    assert set.union(*reached.values()) == {f"127.0.0.1:{port}" for port in site.behind}


def test_other_origins_are_refused_with_and_without_the_proxy(site):
    token = site.token()
    for pattern in ("https://evil.example", "https://127.0.0.1", "https://127.0.0.1.nip.io:{port}", "http://localhost:{behind}",
                    "https://127.0.0.1:{port}.evil.example"):
        for tls in (True, False):
            answer = site.handshake(tls, pattern.format(port=site.port, behind=site.behind[0]), token)
            assert " 403 " in answer.partition("\r\n")[0], (pattern, tls)


def test_a_body_that_is_too_large_stops_at_the_proxy(site):
    assert site.ask("/lab/app", bytes(2_000_000))[0] == 413


def test_a_session_id_gives_no_access_through_the_proxy(site):
    name = get_session_id(site.token())
    for query in (f"bokeh-session-id={name}", f"bokeh%2Dsession%2did={name}",
                  f"eta0=3&bokeh-token={generate_jwt_token(name)}"):
        assert site.ask(f"/lab/app?{query}")[0] == 403
    assert get_session_id(site.token(Bokeh_Session_Id=name)) != name
    assert '"ACK"' not in site.handshake(True, f"https://{site.host}", generate_jwt_token(name))  # not signed


def test_sockets_pages_and_log_ins_are_limited_per_address(site):
    with contextlib.ExitStack() as hold:
        answers = [site.handshake(True, f"https://{site.host}", site.token(), hold=hold) for _ in range(4)]
    assert ["ACK" in answer for answer in answers] == [True] * 3 + [False] and " 429 " in answers[-1]
    for path in ("/lab/login", "/lab/app"):
        statuses = [site.ask(path, method="HEAD")[0] for _ in range(60)]
        assert statuses[0] != 429 and 429 in statuses, (path, statuses)


@pytest.mark.in_turn
def test_a_class_behind_one_address_loads_its_pages_at_once(site, tmp_path):
    """With the limits of *Teach a class*: 41 pages and 39 reloads, where the default limits would refuse the 22nd."""
    table = CLASS.read_text(encoding="utf-8")
    changes = tuple(re.findall(r"^\| `location[^|]*\| `([^`]+)` \| `([^`]+)` \|", table, re.MULTILINE))
    assert [before for before, _ in changes] == ["burst=20", "limit_conn sockets 40"]
    school = Site(tmp_path, behind=site.behind, changes=changes)
    try:
        assert 429 not in [school.ask("/lab/app", method="HEAD")[0] for _ in range(80)]
    finally:
        school.close()


FULL = "This server is full"


class Visitor:
    """Browser without scripts that keeps cookies and opens the websocket of the page it loaded."""

    def __init__(self, site: Site, agent: str = "test") -> None:
        self.site, self.agent, self.cookies = site, agent, HTTPCookieProcessor()
        self.opener = build_opener(HTTPSHandler(context=site.tls), self.cookies)
        self.opener.addheaders = [("User-Agent", agent)]

    def ask(self, path: str, **form: str) -> tuple[str, str]:
        """Return the final address, after redirects, and the text of its page."""
        body = urlencode(form).encode() if form else None
        with self.opener.open(f"https://{self.site.host}{path}", body, PATIENCE) as answer:
            return answer.url.removeprefix(f"https://{self.site.host}"), answer.read().decode()

    def connect(self, page: str, hold: contextlib.ExitStack) -> str:
        """Open the websocket of a page until ``hold`` closes it; return its first message."""
        cookies = "; ".join(f"{one.name}={one.value}" for one in self.cookies.cookiejar)
        return self.site.handshake(True, f"https://{self.site.host}", token_in(page), self.agent, hold, cookies)


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """The site with the page's options for a password, limited to one visit."""
    folder = tmp_path_factory.mktemp("locked")
    (folder / "users.json").write_text('{"ann": "right"}')
    flags = re.search(r"`(--basic-auth users\.json --cookie-secret SECRET)`", SERVE.read_text(encoding="utf-8")).group(1)
    made = Site(folder, *flags.replace("users.json", str(folder / "users.json")).split(), "--args", "--visits", "1")
    yield made
    made.close()


@pytest.mark.in_turn
def test_a_password_is_required_and_a_second_visit_is_refused(locked):
    link, first, second = "/lab/app?page=live&eta0=3", Visitor(locked), Visitor(locked)
    at, page = first.ask(link)
    assert at.startswith("/lab/login") and '"token"' not in page
    assert " 101 " not in locked.handshake(True, f"https://{locked.host}", "guess")
    at, page = first.ask("/lab/login", username="ann", password="right")
    assert at == link and "Exit-Time Lab" in page and FULL not in page
    second.ask(link)
    assert "Invalid username or password!" in second.ask("/lab/login", username="ann", password="wrong")[1]

    with contextlib.ExitStack() as hold:
        assert '"ACK"' in first.connect(page, hold)
        at, refused = second.ask("/lab/login", username="ann", password="right")
        assert at == "/lab/app" and FULL in refused
    wait_for(lambda: FULL not in second.ask(link)[1], "an ended visit still takes the place", every=1.0)
