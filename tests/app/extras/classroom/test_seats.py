"""Seats: which chains are whose, and who is here."""

import pytest

from app.extras.classroom.seats_and_answers import Seats, chains_of


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
