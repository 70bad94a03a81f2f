"""The page that asks for a password: it asks no other host, knows the link after a wrong one, and is not guessed at."""

import asyncio
from http.cookies import SimpleCookie
from urllib.parse import urlencode

import pytest
from panel import auth
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application

from app.allowance import Allowance
from app.visits import log_in
from app.visits.log_in import LogIn, ask_no_other_host

LINK = "/lab/app?eta0=3&page=live"


class Browser:
    """Asks one page after the other of a server behind a proxy with TLS, and keeps its cookies."""

    def __init__(self, port):
        self.port, self.cookies, self.set = port, {}, []

    async def ask(self, path, **form):
        more = {"method": "POST", "body": urlencode(form)} if form else {}
        known = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = await AsyncHTTPClient().fetch(
            f"http://127.0.0.1:{self.port}{path}", headers={"Cookie": known, "X-Forwarded-Proto": "https"},
            follow_redirects=False, raise_error=False, **more)
        for line in answer.headers.get_list("Set-Cookie"):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.coded_value
                self.set.append(morsel)
        return answer.code, answer.headers.get("Location", ""), (answer.body or b"").decode()


@pytest.fixture
def visit(monkeypatch):
    """Return a function that lets a browser, as a coroutine, talk to a server that logs in ann."""
    ask_no_other_host()
    ask_no_other_host()  # twice is once
    provider = auth.BasicAuthProvider()
    monkeypatch.setattr(LogIn, "_validate", lambda self, name, password: (name, password) == ("ann", "right"))
    monkeypatch.setattr(log_in, "_tries", Allowance(3, 0.001))

    def run(walk):
        async def talk():
            application = Application([(r"/lab/login", provider.login_handler), (r"/lab/logout", provider.logout_handler)],
                                      cookie_secret="secret")
            application.prefix = "/lab"
            server, (sock, port) = HTTPServer(application, xheaders=True), bind_unused_port()
            server.add_socket(sock)
            try:
                return await walk(Browser(port))
            finally:
                server.stop()
                await server.close_all_connections()
        return asyncio.run(talk())

    return run


def test_after_a_wrong_password_the_right_one_leads_to_the_link(visit):
    async def walk(browser):
        code, _, page = await browser.ask("/lab/login?" + urlencode({"next": LINK}))
        assert code == 200 and "role='alert'" not in page and "action='./login'" in page
        assert "//" not in page and "src=" not in page, "it asks for something else"
        _, place, _ = await browser.ask("/lab/login", username="ann", password="wrong")
        _, _, page = await browser.ask(place)
        assert "Invalid username or password!" in page and "user" not in browser.cookies
        assert (await browser.ask("/lab/login", username="ann", password="right"))[:2] == (302, LINK)
        assert browser.cookies["user"] and all(one["httponly"] and one["secure"] and one["samesite"] == "Lax"
                                               for one in browser.set if one.value)
        assert "href='./login'" in (await browser.ask("/lab/logout"))[2]
    visit(walk)


def test_who_comes_without_a_link_is_led_below_the_prefix(visit):
    async def walk(browser):
        await browser.ask("/lab/login")
        assert (await browser.ask("/lab/login", username="ann", password="right"))[1] == "/lab/"
        code, _, _ = await browser.ask("/lab/login?" + urlencode({"next": "https://evil.example/"}))
        assert code == 400
    visit(walk)


def test_passwords_are_not_guessed_without_end_and_words_are_no_markup(visit):
    async def walk(browser):
        for _ in range(3):
            assert "Invalid" in (await browser.ask("/lab/login", username="ann", password="guess"))[1]
        code, place, _ = await browser.ask("/lab/login", username="ann", password="right")
        assert code == 302 and "Too+many+tries" in place and "user" not in browser.cookies
        assert "Too many tries: wait" in (await browser.ask(place))[2]
        assert "<b>x" not in (await browser.ask("/lab/login?error=%3Cb%3Ex"))[2]
    visit(walk)


def test_a_page_of_ones_own_stays(tmp_path):
    (tmp_path / "own.html").write_text("my own page")
    ask_no_other_host()
    assert auth.BasicAuthProvider(login_template=str(tmp_path / "own.html")).login_handler is auth.BasicLoginHandler
    assert auth.BasicAuthProvider().login_handler is LogIn
