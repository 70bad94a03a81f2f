"""The README's block for nginx, in front of the real dashboard: prefix, TLS, websocket, origins, class, password, visits."""

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPSHandler, Request, build_opener, urlopen

import pytest
from bokeh.util.token import generate_jwt_token, get_session_id
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).parents[2]
PATIENCE = 240  # seconds: the first visit may compile

pytestmark = pytest.mark.journey


def program(name: str) -> str:
    found = shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin:/bin:/usr/local/bin")
    if found is None:
        said = f"no {name} found: apt-get install nginx-light openssl"
        pytest.fail(said) if os.environ.get("EXIT_TIME_LAB_BROWSER") == "required" else pytest.skip(said)
    return found


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-2000:]
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)


class Site:
    """The dashboard behind nginx, as the README has it; only ports, paths and the host's name are others.

    ``options`` are added to the README's command.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        nginx, openssl = program("nginx"), program("openssl")
        self.port, self.behind = free_port(), free_port()
        self.host = f"127.0.0.1:{self.port}"
        subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "lab.key", "-out", folder / "lab.pem"],
                       check=True, capture_output=True)
        self.tls = ssl.create_default_context(cafile=folder / "lab.pem")
        block = re.search(r"```nginx\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL).group(1)
        for said, here in (("443", f"127.0.0.1:{self.port}"), ("/etc/ssl/", f"{folder}/"), ("lab.example.org", "127.0.0.1"),
                           ("127.0.0.1:5006", f"127.0.0.1:{self.behind}")):
            assert said in block
            block = block.replace(said, here)
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in
                            ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(f"daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n"
                                           f"{temporary}{block}}}\n")
        self.log = folder / "panel.log"
        command = re.search(r"^panel (serve app --prefix.*)$", (ROOT / "README.md").read_text(), re.MULTILINE).group(1)
        command = command.replace("lab.example.org", self.host).split()
        with open(self.log, "w") as log:
            self.panel = subprocess.Popen([sys.executable, "-u", "-m", "panel", *command, "--port", str(self.behind),
                                           *options], cwd=ROOT, stdout=log, stderr=log)
        with open(folder / "nginx.log", "w") as log:
            self.nginx = subprocess.Popen([nginx, "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf"],
                                          stdout=log, stderr=log)
        wait_for(self.behind, self.panel, self.log)
        wait_for(self.port, self.nginx, folder / "nginx.log")

    def close(self) -> None:
        for process in (self.nginx, self.panel):
            process.terminate()
            process.wait(60)

    def ask(self, path: str, data: bytes | None = None) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of an answer."""
        try:
            answer = urlopen(Request(f"https://{self.host}{path}", data), timeout=PATIENCE, context=self.tls)
        except HTTPError as error:
            answer = error
        with answer:
            return answer.status, dict(answer.headers), answer.read().decode("utf-8", "replace")

    def token(self) -> str:
        return self.ask("/lab/app")[2].partition('"token":"')[2].partition('"')[0]

    def handshake(self, tls: bool, origin: str, token: str) -> str:
        """What a websocket's handshake is answered, with the first message where it is taken."""
        port = self.port if tls else self.behind
        lines = (f"GET /lab/app/ws HTTP/1.1\r\nHost: {self.host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
                 f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: bokeh, {token}\r\n"
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n")
        with contextlib.ExitStack() as opened:
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            if tls:
                connection = opened.enter_context(self.tls.wrap_socket(connection, server_hostname="127.0.0.1"))
            connection.sendall(lines.encode())
            found = ""
            while not any(end in found for end in ("ACK", " 403 ", "another page")) and (more := connection.recv(4096)):
                found += more.decode("latin-1")
            return found


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = Site(tmp_path_factory.mktemp("site"), "--args", "--classroom", "4")
    yield made
    made.close()


def test_a_page_its_parts_and_its_websocket_come_through_tls_below_the_prefix(site):
    page = site.ask("/lab/app")[2]
    assert "Exit-Time Lab" in page and site.token()
    part = re.search(r'src="([^"]*static/js/bokeh[^"]*\.js[^"]*)"', page).group(1)
    assert site.ask(part if part.startswith("/") else f"/lab/{part.removeprefix('./')}")[0] == 200
    answer = site.handshake(True, f"https://{site.host}", site.token())
    assert " 101 " in answer.partition("\r\n")[0] and '"ACK"' in answer


def test_other_origins_are_refused_through_the_proxy_and_past_it(site):
    token = site.token()
    for pattern in ("https://evil.example", "https://127.0.0.1", "https://127.0.0.1.nip.io:{port}", "http://localhost:{behind}",
                    "https://127.0.0.1:{port}.evil.example"):
        for tls in (True, False):
            answer = site.handshake(tls, pattern.format(port=site.port, behind=site.behind), token)
            assert " 403 " in answer.partition("\r\n")[0], (pattern, tls)


def test_a_body_that_is_too_large_stops_at_the_proxy(site):
    assert site.ask("/lab/app/teacher", bytes(2_000_000))[0] == 413


def test_nothing_but_this_machine_reaches_the_server_itself(site):
    if not Path("/proc/net/tcp").exists():
        pytest.skip("this system does not list who listens in /proc")
    text = "".join(Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6"))
    places = [line.split()[1] for line in text.splitlines() if line.split()[3] == "0A"]  # those that listen
    assert [place for place in places if place.endswith(f":{site.behind:04X}")] == [f"0100007F:{site.behind:04X}"]


def test_the_teachers_cookie_is_for_tls_alone_and_for_the_page_below_the_prefix(site):
    secret = re.search(r"\?teacher=(\S+)", site.log.read_text()).group(1)
    cookie = site.ask("/lab/app/teacher", secret.encode())[1]["Set-Cookie"]
    assert secret in cookie and {"HttpOnly", "Secure", "SameSite=Strict"} <= set(cookie.split("; ")) and "Path" not in cookie
    assert site.ask("/lab/app/teacher", b"guess")[0] == 403


def test_a_visits_name_alone_leads_nobody_in_through_the_proxy(site):
    """The browser's cookie is for TLS alone, and who has the name of a visit without it gets a visit of their own."""
    status, headers, page = site.ask("/lab/app")
    assert status == 200 and {"HttpOnly", "Secure", "SameSite=Lax"} <= set(headers["Set-Cookie"].split("; "))
    name = get_session_id(page.partition('"token":"')[2].partition('"')[0])
    other = site.ask(f"/lab/app?eta0=3&bokeh-session-id={name}")
    assert other[0] == 200 and get_session_id(other[2].partition('"token":"')[2].partition('"')[0]) != name
    answer = site.handshake(True, f"https://{site.host}", generate_jwt_token(name))
    assert '"ACK"' not in answer


TAKEN = "The only place of this server is taken"


class Visitor:
    """A browser without scripts: it keeps cookies, and opens the websocket of the page it was given."""

    def __init__(self, site: Site) -> None:
        self.site, self.cookies = site, HTTPCookieProcessor()
        self.opener = build_opener(HTTPSHandler(context=site.tls), self.cookies)

    def ask(self, path: str, **form: str) -> tuple[str, str]:
        """Address and text of the page that an address leads to."""
        body = urlencode(form).encode() if form else None
        with self.opener.open(f"https://{self.site.host}{path}", body, PATIENCE) as answer:
            return answer.url.removeprefix(f"https://{self.site.host}"), answer.read().decode()

    async def document(self, page: str) -> tuple[object, str]:
        """The open websocket of a page, and the document that comes through it."""
        token = page.partition('"token":"')[2].partition('"')[0]
        cookies = "; ".join(f"{one.name}={one.value}" for one in self.cookies.cookiejar)
        opened = await websocket_connect(
            HTTPRequest(f"wss://{self.site.host}/lab/app/ws", ssl_options=self.site.tls, request_timeout=PATIENCE,
                        headers={"Origin": f"https://{self.site.host}", "Cookie": cookies}), subprotocols=["bokeh", token])
        parts = [await opened.read_message() for _ in range(3)]
        assert "ACK" in parts[0]
        for part in ({"msgid": "1", "msgtype": "PULL-DOC-REQ"}, {}, {}):
            await opened.write_message(json.dumps(part))
        while "PULL-DOC-REPLY" not in (await opened.read_message()):
            pass
        await opened.read_message()
        return opened, await opened.read_message()


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """The same with the README's options for a password, and one place."""
    folder = tmp_path_factory.mktemp("locked")
    (folder / "users.json").write_text('{"ann": "right"}')
    said = re.search(r"`(--basic-auth users\.json --cookie-secret SECRET)`", (ROOT / "README.md").read_text()).group(1)
    made = Site(folder, *said.replace("users.json", str(folder / "users.json")).split(), "--args", "--visits", "1")
    yield made
    made.close()


def test_a_password_is_asked_for_and_one_visit_too_many_waits_in_line(locked):
    link, first, second = "/lab/app?page=live&eta0=3", Visitor(locked), Visitor(locked)
    at, page = first.ask(link)
    assert at.startswith("/lab/login") and "Log in" in page and '"token"' not in page
    assert " 101 " not in locked.handshake(True, f"https://{locked.host}", "guess")
    at, page = first.ask("/lab/login", username="ann", password="wrong")
    assert "Invalid username or password!" in page
    at, page = first.ask("/lab/login", username="ann", password="right")
    assert at == link and "Exit-Time Lab" in page
    second.ask(link)
    at, waiting = second.ask("/lab/login", username="ann", password="right")
    assert at == link

    async def walk() -> None:
        opened, document = await first.document(page)
        assert TAKEN not in document and "ChainCanvas" in document
        other, document = await second.document(waiting)
        assert TAKEN in document and "in line" in document
        for socket_of in (other, opened):
            socket_of.close()
            while await socket_of.read_message() is not None:  # until it is closed on this side too
                pass

    asyncio.run(walk())
