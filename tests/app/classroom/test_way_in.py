"""The code and the teacher's link: what opens the room, and what a wrong one is told."""

import pytest

from app.allowance import Allowance
from app.classroom import open_room as opening
from app.classroom.code import ALPHABET, LENGTH, new_code, new_secret
from app.classroom.entrance import NO_CLASS, WRONG_LINK, member_of
from app.classroom.member import Member
from app.classroom.room import TRIES, Room
from app.classroom.student import Student
from app.classroom.teacher import Teacher
from app.classroom.visitor import Visitor
from app.server_arguments import read


def test_a_code_has_six_characters_and_none_that_look_alike():
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200 and {len(code) for code in codes} == {LENGTH}
    assert not set("".join(codes)) & set("IL1O0") and set("".join(codes)) <= set(ALPHABET)
    assert len(ALPHABET) ** LENGTH > 500_000_000 and len(new_secret()) >= 24


def test_a_code_may_be_typed_as_people_type(room):
    code = room.code
    for typed in (code, code.lower(), f" {code[:3]} {code[3:]} ", f"{code[:3]}-{code[3:]}"):
        assert room.refusal(typed) == ""


@pytest.mark.parametrize("typed", ["", "AAAAAA0", "x" * 10_000, "<b>", "O0O0O0", None, "ТЕСТ", "%00"])
def test_a_wrong_code_is_told_what_a_code_looks_like(room, typed):
    words = room.refusal(typed)
    assert "six letters and digits" in words and "teacher" in words and len(words) < 250


def test_wrong_codes_run_out_and_come_back(room, clock):
    for _ in range(TRIES):
        assert "No class" in room.refusal("AAAAAA0")
    assert "Too many wrong codes" in room.refusal(room.code)  # who guesses learns nothing meanwhile
    clock.now += 2
    assert room.refusal(room.code) == ""


def test_tries_never_exceed_what_is_free_at_once(clock):
    tries = Allowance(2, 0.5, clock)
    clock.now += 1_000
    tries.note()
    tries.note()
    assert tries.wait == pytest.approx(2.0)
    clock.now += 2
    assert tries.wait == 0


def test_only_the_secret_makes_a_teacher(room):
    assert room.is_teacher(room.secret)
    assert not any(room.is_teacher(given) for given in ("", room.code, room.secret[:-1], "é" * 1000, None))


@pytest.fixture
def opened(monkeypatch, room):
    monkeypatch.setattr(opening, "_rooms", [room])
    return room


def test_who_comes_with_what(opened):
    assert isinstance(member_of(4, {"class": [opened.code.lower().encode()]}), Student)
    assert isinstance(member_of(4, {"teacher": [opened.secret.encode()]}), Teacher)
    visitor, guest, stranger = member_of(4, {}), member_of(4, {"class": "AAAAAA"}), member_of(4, {"teacher": "me"})
    assert all(isinstance(member, Visitor) for member in (visitor, guest, stranger))
    assert visitor.panel.words == "" and "AAAAAA" in guest.panel.words and stranger.panel.words == WRONG_LINK
    assert opened.seats.present == 1


def test_a_visitor_who_types_wrongly_too_often_waits(opened):
    visitor = member_of(4, {})
    for _ in range(5):
        visitor.panel.on_join("AAAAAA")
        assert "No class" in visitor.panel.words
    visitor.panel.on_join(opened.code)
    assert "Wait" in visitor.panel.words
    other = member_of(4, {})
    other.panel.on_join(opened.code)
    assert other.panel.words == ""


def test_a_server_without_a_class_says_so():
    assert member_of(None, {"class": "AAAAAA"}).words == (NO_CLASS,)
    plain = member_of(None, {})
    assert type(plain) is Member and plain.words == () and plain.panel is None


def test_several_processes_are_refused_in_words(monkeypatch, capsys):
    monkeypatch.setattr(opening, "task_id", lambda: 1)
    assert "--num-procs" in member_of(4, {}).words[0]
    opening.announce(4)
    assert "--num-procs" in capsys.readouterr().out


def test_the_console_tells_the_code_and_the_link(opened, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["panel", "serve", "app", "--port", "5007", "--prefix", "lab", "--args", "--classroom"])
    opening.announce(4)
    told = capsys.readouterr().out
    assert f"http://localhost:5007/lab/app?class={opened.code}" in told
    assert f"http://localhost:5007/lab/app?teacher={opened.secret}" in told


@pytest.mark.parametrize("argv, seats", [((), None), (("--classroom",), 60), (("--classroom", "25"), 25)])
def test_the_command_line_opens_a_class(argv, seats):
    assert read(argv).classroom == seats and read(argv).words == ()


@pytest.mark.parametrize("given", ["0", "513", "-1", "many"])
def test_seats_out_of_range_are_said(given):
    told = read(("--classroom", given))
    assert told.classroom is None and ("from 1 to 512" in told.words[0] or "invalid int" in told.words[0])


def test_two_rooms_share_nothing():
    assert (one := Room()).code != (other := Room()).code and one.secret != other.secret


def test_a_student_with_an_unknown_key_keeps_the_seat(opened):
    student = member_of(4, {"class": opened.code})
    mine = student.panel.seat
    for key in ("unknown", "x" * 1000, mine):
        student.panel.on_sit(key)
    assert student.panel.seat == mine and opened.seats.take().number == 1
