"""Codes and the teacher's link: admission and refusal; seats and their chains."""

from argparse import Namespace

import pytest

from app.extras.classroom import extra as classroom
from app.extras.classroom.extra import EXTRA, NO_CLASS, SEAT, WRONG_LINK, Visitor
from app.extras.classroom.room import ALPHABET, LENGTH, TRIES, Room, Seats, chains_of
from app.extras.classroom.teacher_and_student import Student, Teacher
from app.server.arguments import read
from app.visit import Allowance, Visit

CLASS, NONE = Namespace(classroom=4), Namespace(classroom=None)


def visit(query, options=CLASS):
    return EXTRA.join(Visit(), query, options)


def test_a_code_has_six_characters_and_none_that_look_alike():
    codes, secrets = ({getattr(room, name) for room in [Room() for _ in range(50)]} for name in ("code", "secret"))
    assert len(codes) == len(secrets) == 50 and {len(code) for code in codes} == {LENGTH}
    assert not set("".join(codes)) & set("IL1O0") and set("".join(codes)) <= set(ALPHABET)
    assert len(ALPHABET) ** LENGTH > 500_000_000 and len(min(secrets, key=len)) >= 24


@pytest.mark.parametrize("typed", ["", "AAAAAA0", "x" * 10_000, "<b>", "O0O0O0", None, "ТЕСТ", "%00"])
def test_the_refusal_of_a_code_describes_a_valid_code(room, typed):
    words = room.refusal(typed)
    assert "six letters and digits" in words and "teacher" in words and len(words) < 250


def test_wrong_codes_run_out_and_come_back(room, clock):
    code = room.code
    for typed in (code, code.lower(), f" {code[:3]} {code[3:]} ", f"{code[:3]}-{code[3:]}"):
        assert room.refusal(typed) == ""
    for _ in range(TRIES):
        assert "No class" in room.refusal("AAAAAA0")
    assert "Too many wrong codes" in room.refusal(room.code)  # the right code is refused too, so guesses reveal nothing
    clock.now += 2
    assert room.refusal(room.code) == ""


def test_tries_never_exceed_the_burst_size(clock):
    tries = Allowance(2, 0.5, clock)
    clock.now += 1_000
    tries.note()
    tries.note()
    assert tries.wait == pytest.approx(2.0)


def test_only_the_secret_makes_a_teacher(room):
    assert room.is_teacher(room.secret)
    assert not any(room.is_teacher(secret) for secret in ("", room.code, room.secret[:-1], "é" * 1000, None))


@pytest.fixture
def opened(monkeypatch, room):
    monkeypatch.setattr(EXTRA, "room", room)
    return room


def test_roles_follow_from_the_query(opened):
    assert isinstance(visit({"class": [opened.code.lower().encode()]}), Student)
    assert isinstance(visit({"teacher": [opened.secret.encode()]}), Teacher)
    visitor, guest, stranger = visit({}), visit({"class": "AAAAAA"}), visit({"teacher": "me"})
    assert all(isinstance(member, Visitor) for member in (visitor, guest, stranger))
    assert visitor.tool.words == "" and "AAAAAA" in guest.tool.words and stranger.tool.words == WRONG_LINK
    assert opened.seats.present == 1


def test_a_visitor_who_types_wrongly_too_often_waits(opened):
    visitor = visit({})
    for _ in range(5):
        visitor.tool.on_join("AAAAAA")
        assert "No class" in visitor.tool.words
    visitor.tool.on_join(opened.code)
    assert "Wait" in visitor.tool.words
    other = visit({})
    other.tool.on_join(opened.code)
    assert other.tool.words == ""


def test_a_server_without_a_class_reports_it():
    assert visit({"class": "AAAAAA"}, NONE).words == (NO_CLASS,)
    assert visit({}, NONE) is None and EXTRA.visits(NONE) == 0


def test_several_processes_are_refused_with_a_message(monkeypatch, capsys):
    monkeypatch.setattr(classroom, "task_id", lambda: 1)
    assert "--num-procs" in visit({}).words[0]
    EXTRA.server_starts(CLASS)
    assert "--num-procs" in capsys.readouterr().out


@pytest.mark.parametrize("argv, address", [
    ("--port 5007 --prefix lab", "http://localhost:5007/lab/app"),
    ("--address 192.168.1.20", "http://192.168.1.20:5006/app"), ("--address=fe80::1", "http://[fe80::1]:5006/app"),
    ("--address 0.0.0.0", "http://localhost:5006/app"), ("--allow-websocket-origin *", "http://localhost:5006/app"),
    ("--address 0.0.0.0 --allow-websocket-origin 192.168.1.20:5006", "http://192.168.1.20:5006/app"),
    ("--port 5006 --prefix /lab --allow-websocket-origin lab.example.org --use-xheaders", "https://lab.example.org/lab/app"),
    ("--address lab.example.org --port 443 --ssl-certfile lab.pem", "https://lab.example.org:443/app")])
def test_the_console_prints_the_code_and_the_link(opened, monkeypatch, capsys, argv, address):
    monkeypatch.setattr("sys.argv", ["panel", "serve", "app", *argv.split(), "--args", "--classroom"])
    EXTRA.server_starts(CLASS)
    output = capsys.readouterr().out
    assert f"Students open {address}?class={opened.code}," in output
    assert f"Teacher: {address}?teacher={opened.secret} " in output


@pytest.mark.parametrize("argv, seats", [((), None), (("--classroom",), 60), (("--classroom", "25"), 25)])
def test_the_command_line_opens_a_class(argv, seats):
    assert read(argv).options.classroom == seats and read(argv).words == ()
    assert EXTRA.visits(read(argv).options) == (seats or 0)


@pytest.mark.parametrize("seats", ["0", "513", "-1", "many"])
def test_seats_out_of_range_are_reported(seats):
    parsed = read(("--classroom", seats))
    assert parsed.options == Namespace() and ("from 1 to 512" in parsed.words[0] or "invalid int" in parsed.words[0])


def test_a_browser_that_comes_back_has_its_seat_again(opened, monkeypatch):
    keys = []
    for cookies in ({}, {SEAT: "unknown"}, {SEAT: ""}):
        monkeypatch.setattr(type(classroom.pn.state), "cookies", cookies)
        keys.append(visit({"class": opened.code}).tool.seat)
    assert len(set(keys)) == 3 and opened.seats.present == 3
    monkeypatch.setattr(type(classroom.pn.state), "cookies", {SEAT: keys[1]})
    assert visit({"class": opened.code}).tool.seat == keys[1] and opened.seats.present == 3


@pytest.mark.parametrize("chains, seats, each", [(240, 60, 4), (64, 60, 1), (512, 60, 8), (8, 4, 2), (3, 60, 1), (1, 1, 1)])
def test_seats_share_no_chain_while_there_are_enough(chains, seats, each):
    slices = [chains_of(number, chains, seats) for number in range(min(seats, chains))]
    taken = [chain for mine in slices for chain in mine]
    assert {len(mine) for mine in slices} == {each}
    assert len(taken) == len(set(taken)) and max(taken) < chains
    late = chains_of(10_000, chains, seats)
    assert len(late) == each and late.stop <= chains


def test_a_seat_comes_back_to_its_number_and_a_copied_tab_counts_once():
    seats = Seats()
    first, second = seats.take(), seats.take()
    assert (first.number, second.number, seats.present) == (0, 1, 2)
    seats.leave(first)
    third = seats.take("never issued")
    assert (third.number, seats.present) == (2, 2) and third.key != "never issued"
    for _ in range(2):  # back, and in a copied tab
        assert seats.take(first.key) is first and first.number == 0 and seats.present == 3
    seats.leave(first)
    assert seats.present == 3
    for _ in range(2):
        seats.leave(first)
        assert seats.present == 2
