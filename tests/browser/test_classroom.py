"""A class in the browser: a teacher, two students, one run."""

import re

import pytest
from playwright.sync_api import expect

from app.extras.classroom.extra import EXTRA
from tests.browser.accessible import SMALL, WIDE, look, measured, misfits, motion, resize, walk
from tests.browser.person import after, finished, pause, type_in

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.in_turn]
QUESTION = ".lesson .question"


@pytest.fixture
def argv():
    return ("--classroom", "4")


@pytest.fixture
def room(server, monkeypatch):
    monkeypatch.setattr(EXTRA, "room", None)
    return EXTRA.open_room(4)


def test_two_students_follow_their_teacher_answer_and_continue_alone(open_window, server, room):
    teacher = open_window(f"?teacher={room.secret}&chains=16&speed=16e&en=200&ek=500&eeta=0.002")  # a short epoch
    teacher.wait_for_function("epoch_shown() >= 10")
    teacher.wait_for_function("!location.search.includes('teacher')")  # a class sees the address bar

    teacher.wait_for_function("secret => document.cookie.includes(secret)", arg=room.secret)
    cookie, = (cookie for cookie in teacher.context.cookies() if cookie["value"] == room.secret)
    assert cookie["sameSite"] == "Strict" and cookie["path"] == "/app"
    teacher.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # neither local nor encrypted
    teacher.get_by_role("button", name=re.compile("^Class")).click()
    teacher.locator(".panel .copy").click()
    teacher.get_by_role("button", name="Copied").wait_for()
    teacher.keyboard.press("Escape")
    first = open_window(f"?class={room.code.lower()}")
    phone = open_window("?class=AAAAAA", 390, 844)  # a wrong code, then the right one
    phone.get_by_text("No class here has the code AAAAAA").wait_for()
    phone.get_by_label("Code on the teacher").fill(f"{room.code[:3]} {room.code[3:]}")
    phone.keyboard.press("Enter")
    for student in (first, phone):
        student.get_by_text("Following your teacher").wait_for()
        student.wait_for_function("frames_painted() > 10 && epoch_shown() >= 10")
    first.get_by_text("Your 4 chains").wait_for()
    pause(teacher)  # nothing changes during the checks
    phone.wait_for_function("t => epoch_shown() === t", arg=teacher.evaluate("epoch_shown()"))
    for page in (teacher, phone):
        assert look(page) + measured(page, "small_targets") + misfits(page) + motion(page) == []
    resize(teacher, *WIDE)
    resize(phone, *SMALL)
    teacher.get_by_role("button", name="Play").click()
    teacher.get_by_role("button", name="2 students here").wait_for()

    box = teacher.locator(".knob-eta0 input.box")  # only the teacher changes the knobs
    box.fill("2")
    box.press("Enter")
    first.wait_for_function("deep('.knob-eta0') && deepAll('input.box').some(box => box.value === '2')")
    hers = first.locator(".knob-eta0 input.box")
    hers.fill("7")
    hers.press("Enter")
    first.get_by_text("The teacher controls this run").wait_for()
    for one in (hers, box):
        expect(one).to_have_value("2")

    teacher.get_by_role("tab", name="Exit time").click()  # the room shows its results
    finished(teacher, 1)
    teachers = after(teacher, lambda: type_in(teacher, "steps", "400"))
    for student in (first, phone):
        student.wait_for_function("inside => shown().inside === inside && shown().done === '1'", arg=teachers["inside"])
        student.get_by_text("Following your teacher").wait_for()
    for page in (teacher, first):
        assert walk(page) == []
    type_in(first, "steps", "900")
    first.get_by_text("The teacher controls this page").wait_for()
    expect(first.locator(".knob-steps input.box")).to_have_value("400")

    teacher.get_by_role("button", name="Lessons").click()  # back at Live, a lesson with a question
    teacher.locator(".contents .line[data-key=a_fresh_sample]").click()
    teacher.locator(".lesson").wait_for()
    while not teacher.locator(QUESTION).count():
        step = teacher.locator(".lesson .part").inner_text()
        teacher.locator(".lesson .next").click()
        teacher.wait_for_function("step => deep('.lesson .part')?.textContent !== step", arg=step)
    for student, option in ((first, 1), (phone, 0)):
        student.get_by_role("tab", name="Live", selected=True).wait_for()
        student.locator(QUESTION).wait_for()
        student.locator(".chip").nth(option).click()
        student.get_by_text("Your answer is in").wait_for()
        assert student.locator(".why.good, .why.bad").count() == 0  # not before the teacher reveals it
    teacher.get_by_text("2 of 2 students have answered").wait_for()
    for option, counts in ((0, "2 0"), (1, "1 1")):
        first.locator(".chip").nth(option).click()
        teacher.wait_for_function("counts => deepAll('.poll li b').map(n => n.textContent).join(' ').startsWith(counts)",
                                  arg=counts)
    teacher.get_by_role("button", name="Show which is right").click()
    first.locator(".why.good", has_text="Right. ").wait_for()
    phone.locator(".why.bad", has_text="Not quite. ").wait_for()
    teacher.locator(".lesson .list").click()
    teacher.locator(".contents .line[data-key=what_is_going_on]").click()
    for number in (1, 2):  # the teacher's steps of a lesson are shown to all
        for student in (first, phone):
            student.wait_for_function("n => deep('.lesson .part')?.textContent.startsWith(`step ${n} `)", arg=number)
        if number == 1:
            teacher.locator(".lesson .next").click()
    first.locator(".lesson h2").press("ArrowRight")  # a student's step is not
    first.locator(".lesson .list").click()
    first.locator(".contents .line[data-key=why_the_square]").click()
    first.wait_for_function("deep('.lesson .part')?.textContent.startsWith('step 2 ')")
    assert first.locator(".turning").is_hidden()

    teacher.close()
    first.get_by_text("closed or has lost its connection").wait_for()
    first.get_by_role("button", name="Take your own run").click()
    first.get_by_role("toolbar", name="Transport").wait_for()
    first.wait_for_function("!location.search.includes('class=')")
    back = open_window(f"?teacher={room.secret}")  # the same room and lesson
    back.locator(".lesson").wait_for()
    phone.get_by_text("Following your teacher").wait_for()
    first.get_by_role("button", name="Back to the class").click()
    first.locator(".panel .back").click()
    first.get_by_text("Following your teacher").wait_for()
