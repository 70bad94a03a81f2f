"""The page that asks for a name and a password (`--basic-auth`): Panel's handler, with a page that asks no other host."""

from __future__ import annotations

import math
from typing import Any

from jinja2 import Environment, Template
from panel import auth

from app.allowance import Allowance
from app.theme import FONT, TOKENS

TRIES = 10, 0.5
"""Passwords that may be tried one after the other, everybody's together, and that come back each second."""
_tries = Allowance(*TRIES)
_STYLE = (
    "*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);"
    f"color:var(--ink);font:1rem {FONT};" "color-scheme:light dark}"
    "main{width:min(22rem,calc(100vw - 2rem));padding:1.75rem;background:var(--card);border:1px solid var(--line);"
    "border-radius:8px}h1{margin:0 0 1.25rem;font-size:1.35rem}label{display:block;margin:0 0 1rem;color:var(--ink2)}"
    "input{display:block;width:100%;margin-top:.25rem;padding:.55rem .65rem;font:inherit;color:var(--ink);"
    "background:var(--bg);border:1px solid var(--ink3);border-radius:6px}a,button{font:inherit;font-weight:600}"
    "a{color:var(--primary)}button{width:100%;padding:.6rem;color:var(--on);background:var(--primary);border:0;"
    "border-radius:6px;cursor:pointer}[role=alert]{margin:0 0 1rem;color:var(--hot)}")
_HEAD = ("<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{{ title }} · Exit-Time Lab</title>"
         "<meta name='viewport' content='width=device-width,initial-scale=1'><link rel='icon' href='data:,'>"
         "<style>{{ style | safe }}</style></head><body><main><h1>Exit-Time Lab</h1>")
_LOG_IN = _HEAD + (
    "{% if errormessage %}<p role='alert'>{{ errormessage }}</p>{% endif %}"
    "<form action='.{{ login_endpoint }}' method='post'>"
    "<label>Name <input name='username' autocomplete='username' autocapitalize='off' required autofocus></label>"
    "<label>Password <input name='password' type='password' autocomplete='current-password' required></label>"
    "<button>Log in</button></form></main></body></html>")
_LOGGED_OUT = _HEAD + "<p>You are logged out.</p><a href='.{{ LOGIN_ENDPOINT }}'>Log in</a></main></body></html>"


def _template(text: str, title: str) -> Template:
    colours = {theme: "".join(f"--{name}:{value};" for name, value in found.items()) for theme, found in TOKENS.items()}
    style = f":root{{{colours['light']}}}@media(prefers-color-scheme:dark){{:root{{{colours['dark']}}}}}{_STYLE}"
    environment = Environment(autoescape=True)
    environment.globals.update(style=style, title=title)
    return environment.from_string(text)


class LogIn(auth.BasicLoginHandler):
    """Panel's handler; after a wrong password it still knows the link, and its cookies go over TLS where there is TLS."""

    def get(self) -> None:
        """Ask for name and password; then the browser is led on to the page it wanted."""
        if not self.get_argument("next", ""):
            known = self.get_cookie("next_url") or f"{self.application.prefix}/"
            self.request.arguments["next"] = [known.encode()]
        super().get()

    def post(self) -> None:
        """Let in who knows the password; after many tries, somebody's or everybody's, one has to wait."""
        if wait := _tries.wait:
            self.redirect(f"{self.request.path}?error=Too+many+tries:+wait+{math.ceil(wait)}+s,+then+try+again")
            return
        _tries.note()
        super().post()

    def set_cookie(self, name: str, value: Any, *given: Any, **more: Any) -> None:
        """Set a cookie that no script reads, that other sites' requests do not carry, and that goes over TLS alone."""
        super().set_cookie(name, value, *given, **{"httponly": True, "samesite": "Lax",
                                                   "secure": self.request.protocol == "https"} | more)


def ask_no_other_host() -> None:
    """Have the servers made from now on log in by our page, unless they were told another (`--basic-login-template`)."""
    theirs, out = auth.BasicAuthProvider.login_handler, auth.BasicAuthProvider.logout_handler

    def log_in(provider: Any) -> Any:
        handler = theirs.fget(provider)
        if provider._login_template is not auth.BASIC_LOGIN_TEMPLATE:
            return handler
        LogIn._login_endpoint, LogIn._login_template = provider._login_endpoint, _template(_LOG_IN, "Log in")
        return LogIn

    def log_out(provider: Any) -> Any:
        handler = out.fget(provider)
        if provider._logout_template is auth.LOGOUT_TEMPLATE:
            handler._logout_template = _template(_LOGGED_OUT, "Logged out")
        return handler

    if theirs.fget.__module__ != __name__:
        auth.BasicAuthProvider.login_handler, auth.BasicAuthProvider.logout_handler = property(log_in), property(log_out)
