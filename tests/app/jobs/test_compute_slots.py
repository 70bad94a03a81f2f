"""Engines that share a core: first come, first served; shorter turns if many wait; no deadlock by one that hangs."""

import threading

import pytest

from app.jobs.compute_slots import ComputeSlots
from tests.waiting import wait_for


@pytest.fixture
def slots():
    return ComputeSlots(1, threading.TIMEOUT_MAX)


class Waiting:
    """Threads that each take the slot once, started one after the other."""

    def __init__(self, slots, count):
        self.order, self.threads = [], []
        for name in range(count):
            self.threads.append(threading.Thread(target=self._take, args=(slots, name)))
            self.threads[-1].start()
            wait_for(lambda name=name: slots.waiting > name)

    def _take(self, slots, name):
        with slots.slot():
            self.order.append(name)

    def ended(self):
        for thread in self.threads:
            thread.join(60)
        return self.order


def test_the_longest_wait_is_served_first_and_turns_are_shorter_if_many_wait(slots):
    alone = slots.seconds
    with slots.slot():
        waiting = Waiting(slots, 20)
        assert slots.seconds < alone / 2 and not waiting.order
    assert waiting.ended() == list(range(20)) and slots.waiting == 0 and slots.seconds == alone


def test_a_released_slot_goes_to_those_already_waiting(slots):
    with slots.slot():
        waiting = Waiting(slots, 3)
    with slots.slot():
        assert waiting.order == [0, 1, 2]
    waiting.ended()


def test_no_computation_begins_while_a_page_is_built_and_all_waiting_are_served_afterwards(slots):
    with slots.slot():
        with slots.held_back():
            waiting = Waiting(slots, 2)
    assert waiting.ended() == [0, 1]
    with slots.held_back(), slots.held_back():
        waiting = Waiting(slots, 3)
        assert not waiting.order
    assert waiting.ended() == [0, 1, 2] and slots.waiting == 0


def test_a_slot_is_released_if_the_computation_fails(slots):
    with pytest.raises(ZeroDivisionError), slots.slot():
        1 / 0  # noqa: B018
    with slots.slot():
        assert slots.waiting == 0


def test_a_hanging_computation_blocks_no_other_and_its_end_frees_one_slot():
    slots = ComputeSlots(1, 0.001)
    with slots.slot(), slots.slot(), slots.slot():  # two continue without a slot
        assert slots.waiting == 0
    slots._patience = threading.TIMEOUT_MAX
    with slots.slot():
        waiting = Waiting(slots, 1)
        assert not waiting.order
    assert waiting.ended() == [0]
