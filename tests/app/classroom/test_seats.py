"""Seats: which chains are whose, and who is here."""

import pytest

from app.classroom.seats import Seats, chains_of


@pytest.mark.parametrize("chains, seats, each", [(240, 60, 4), (64, 60, 1), (512, 60, 8), (8, 4, 2), (3, 60, 1), (1, 1, 1)])
def test_seats_share_no_chain_while_there_are_enough(chains, seats, each):
    slices = [chains_of(number, chains, seats) for number in range(min(seats, chains))]
    taken = [chain for mine in slices for chain in mine]
    assert {len(mine) for mine in slices} == {each}
    assert len(taken) == len(set(taken)) and max(taken) < chains
    late = chains_of(10_000, chains, seats)
    assert len(late) == each and late.stop <= chains


def test_a_seat_comes_back_to_its_number_and_nobody_gets_it_meanwhile():
    seats = Seats()
    first, second = seats.take(), seats.take()
    assert (first.number, second.number, seats.present) == (0, 1, 2)
    seats.leave(first)
    third = seats.take()
    assert (third.number, seats.present) == (2, 2)
    again = seats.take(first.key)
    assert again is first and again.number == 0 and seats.present == 3


def test_a_copied_tab_counts_once_and_an_unknown_key_is_a_new_seat():
    seats = Seats()
    seat = seats.take()
    assert seats.take(seat.key) is seat and seats.present == 1
    seats.leave(seat)
    assert seats.present == 1
    seats.leave(seat)
    seats.leave(seat)
    assert seats.present == 0
    other = seats.take("never given")
    assert other.key != "never given" and other.number == 1


def test_seats_that_were_left_are_forgotten_in_the_end(monkeypatch):
    monkeypatch.setattr("app.classroom.seats.MOST_KEPT", 3)
    seats = Seats()
    kept = [seats.take() for _ in range(3)]
    seats.leave(kept[0])
    seats.take()
    assert seats.take(kept[0].key) is not kept[0] and seats.take(kept[1].key) is kept[1]


def test_a_seat_that_comes_back_frees_the_new_one_and_an_unknown_key_takes_no_number():
    seats = Seats()
    first = seats.take()
    seats.leave(first)
    for _ in range(3):  # reloads
        new = seats.take()
        assert new.number == 1 and seats.instead(new, first.key) is first and seats.present == 1
        seats.leave(first)
    mine = seats.take()
    assert all(seats.instead(mine, key) is mine for key in ("never given", "", mine.key, "another"))
    assert (seats.present, seats.take().number) == (1, 2)
