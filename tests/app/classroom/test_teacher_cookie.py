"""The teacher's cookie: set for the right secret alone, out of reach of scripts and of other sites."""

from http.client import responses
from unittest.mock import Mock

import pytest
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine
from tornado.web import Application

from app.classroom import open_room as opening
from app.classroom.entrance import member_of
from app.classroom.teacher_cookie import COOKIE, TeacherCookie


def answered(body, protocol="http"):
    request = HTTPServerRequest(start_line=RequestStartLine("POST", "/app/teacher", "HTTP/1.1"),
                                headers=HTTPHeaders(Host="localhost"), body=body, connection=Mock(no_keep_alive=False))
    request.protocol = protocol
    handler = TeacherCookie(Application(), request, application_context=None, bokeh_websocket_path="/app/ws")
    handler.finish = lambda *_: None
    handler.post()
    return handler.get_status(), getattr(handler, "_new_cookie", {}).get(COOKIE)


def test_the_right_secret_is_kept_out_of_reach_of_scripts_and_other_sites(room, monkeypatch):
    monkeypatch.setattr(opening, "_rooms", [room])
    status, cookie = answered(room.secret.encode())
    assert responses[status] == "No Content" and cookie.value == room.secret
    assert cookie["httponly"] is True and cookie["samesite"] == "Strict" and not cookie["secure"] and not cookie["path"]
    assert answered(room.secret.encode(), "https")[1]["secure"] is True


@pytest.mark.parametrize("body", [b"", b"AAAAAA", b"\xff" * 1000, "é".encode()])
def test_a_wrong_secret_gets_none(room, monkeypatch, body):
    monkeypatch.setattr(opening, "_rooms", [room])
    assert answered(body) == (403, None)
    monkeypatch.setattr(opening, "_rooms", [])
    assert answered(room.secret.encode()) == (403, None)


def test_a_page_opened_by_the_cookie_does_not_hold_the_secret(room, monkeypatch):
    import panel as pn

    monkeypatch.setattr(opening, "_rooms", [room])
    assert member_of(4, {"teacher": room.secret}).panel.secret == room.secret
    monkeypatch.setattr(type(pn.state), "cookies", {COOKIE: room.secret})
    assert member_of(4, {}).panel.secret == "" and member_of(4, {}).panel.role == "teacher"


def test_the_secret_needs_no_token_against_forged_requests():
    request = HTTPServerRequest(start_line=RequestStartLine("POST", "/app/teacher", "HTTP/1.1"),
                                headers=HTTPHeaders(Host="localhost"), body=b"", connection=Mock(no_keep_alive=False))
    TeacherCookie(Application(xsrf_cookies=True), request, application_context=None).check_xsrf_cookie()
