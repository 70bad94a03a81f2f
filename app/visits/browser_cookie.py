"""A visit belongs to the browser that opened it: who has only its name, from a link or a log, gets a visit of their own."""

from __future__ import annotations

import secrets
from contextlib import suppress
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlencode
from weakref import WeakSet

from bokeh.util.token import generate_jwt_token, get_session_id, get_token_payload
from tornado.web import Finish, HTTPError

from app.server_parts import SOCKETS, extend_handlers
from app.visits.own_name import NAMES

COOKIE = "exit_time_lab_browser"
"""Tells browsers apart, by 192 random bits that no script can read; it goes when the browser is closed."""
SECRET = "visit_secret"
"""Of a visit, in the tokens of its pages and nowhere else: without it no socket is opened, whatever name is known."""
_owners: dict[str, bytes] = {}  #: name of a visit -> digest of its browser's cookie
_guarded: WeakSet[Any] = WeakSet()  #: applications whose visits belong to browsers; a kernel's pages belong to its notebook


class OwnedPage:
    """Part of a handler that answers with the token of a visit: it gives none of somebody else's."""

    async def get_session(self) -> Any:
        """Return the visit that was asked for by its name, if it is this browser's, or a new one."""
        context: Any = self.application_context
        if context not in _guarded:
            return await super().get_session()
        browser, name = self._browser(), self._name()
        if name and (name in _owners or name in context._sessions or name in context._pending_sessions):
            if not secrets.compare_digest(_owners.get(name, b""), browser):
                self._turn_away()
        if name:  # before it is made, so that nobody else joins it meanwhile
            _owners[name] = browser
        try:
            session = await super().get_session()
        except BaseException:
            if name not in context._sessions:
                forget(name)
            raise
        if session is not None:  # else somebody has to log in first
            _owners[session.id] = browser
            _renew_token(session, self.application)
        return session

    def _browser(self) -> bytes:
        """Return the digest of the browser's cookie, which is given to one that has none; no token repeats it."""
        cookie = self.get_cookie(COOKIE)
        if not cookie:
            cookie = secrets.token_urlsafe(24)
            self.set_cookie(COOKIE, cookie, path=None, httponly=True, samesite="Lax",
                            secure=self.request.protocol == "https")
        else:
            self.request.cookies.pop(COOKIE, None)
            rest = "; ".join(f"{name}={morsel.coded_value}" for name, morsel in self.request.cookies.items())
            del self.request.headers["Cookie"]
            if rest:
                self.request.headers["Cookie"] = rest
        return _digest(cookie)

    def _name(self) -> str:
        """Return the name of the visit that is asked for; empty where any will do."""
        with suppress(Exception):  # a token that cannot be read is refused by Bokeh, in its words
            token = self.get_argument("bokeh-token", None)
            if token is not None:
                return get_session_id(token)
        return self.get_argument("bokeh-session-id", None) or self.request.headers.get("Bokeh-Session-Id", "")

    def _turn_away(self) -> None:
        """Have the browser ask for the same page without the name; a request that is no page's is refused."""
        asked = parse_qsl(self.request.query, keep_blank_values=True)
        rest = [(key, value) for key, value in asked if key not in NAMES]
        if len(rest) == len(asked) or self.request.path.endswith("autoload.js"):
            raise HTTPError(403, reason="This visit belongs to another browser")
        here = self.request.path.rpartition("/")[2] or "./"  # as the browser sees it, whatever a proxy adds before it
        self.redirect(f"{here}?{urlencode(rest)}" if rest else here)
        raise Finish


class OwnedSocket:
    """Part of the handler of sockets: to a visit that there is, only its own pages' tokens lead."""

    async def _async_open(self, token: str) -> None:
        context: Any = self.application_context
        if context in _guarded:
            name = get_session_id(token)
            session, cookie = context._sessions.get(name), self.get_cookie(COOKIE)
            if session is not None and not secrets.compare_digest(_secret(token), _secret(session.token)):
                self.close(1008, "This visit belongs to another page")
                return
        await super()._async_open(token)
        if context in _guarded and cookie and name in context._sessions:
            _owners[name] = _digest(cookie)  # as it is now: two tabs that open at once are each given one, the last is kept


def _digest(cookie: str) -> bytes:
    return sha256(cookie.encode()).digest()


def _secret(token: str) -> bytes:
    return str(get_token_payload(token).get(SECRET, "")).encode()


def _renew_token(session: Any, application: Any) -> None:
    """Give a visit that is found again a token that has not expired, with the same secret."""
    payload = get_token_payload(session.token)
    payload.pop("session_expiry", None)
    session._token = generate_jwt_token(session.id, secret_key=application.secret_key, signed=application.sign_sessions,
                                        expiration=application.session_token_expiration, extra_payload=payload)


def give_visits_to_browsers() -> None:
    """Have the servers made from now on ask whose a visit is, where an application wants it (`guard`)."""
    extend_handlers(lambda route, handler: OwnedSocket if route == SOCKETS
                    else OwnedPage if hasattr(handler, "get_session") else None)


def guard(context: Any) -> None:
    """Have the visits of an application (its Bokeh `ApplicationContext`) belong to browsers from now on."""
    application, asked = context.application, context.application.process_request

    def process_request(request: Any) -> dict[str, Any]:
        """Return what a new token holds; a socket's request makes no new one."""
        return asked(request) | ({} if "Upgrade" in request.headers else {SECRET: secrets.token_urlsafe(24)})

    application.process_request = process_request
    _guarded.add(context)


def forget(name: str) -> None:
    """Forget whose a visit was that has ended."""
    _owners.pop(name, None)
