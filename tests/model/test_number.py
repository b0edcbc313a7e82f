"""Quantities: exact, symbolic, and compared for every value that a symbol can take."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoplint.model.number import Quantity, Symbol
from hoplint.model.value import exact_number


def of(symbol: Symbol, factor: int = 1, const: int = 0) -> Quantity:
    return Quantity(const, {symbol: factor})


def test_six_times_the_same_symbol_is_proven_enough():
    """`visibility = timeout * 6` is right whatever the timeout is."""
    timeout = of(Symbol("var.timeout", low=1, high=900))
    assert not (timeout * 6 < timeout * 6).possible


def test_twice_the_symbol_is_proven_too_little():
    """`visibility = timeout * 2` is wrong for every timeout of at least 1 s."""
    timeout = of(Symbol("var.timeout")).within(1, 900)
    assert (timeout * 2 < timeout * 6).certain


def test_bounds_of_the_place_of_use_decide():
    """Without a lower bound the same comparison stays open: for 0 it would be right."""
    timeout = of(Symbol("var.timeout"))
    answer = timeout * 2 < timeout * 6
    assert answer.possible and not answer.certain


def test_an_offset_stays_undecided():
    """`visibility = timeout + 10` is right for 1 s and 2 s, and wrong from 3 s on."""
    timeout = of(Symbol("var.timeout")).within(1, 900)
    answer = timeout + 10 < timeout * 6
    assert answer.possible and not answer.certain


def test_a_product_of_symbols_keeps_its_interval():
    """Two bounded unknowns multiplied lie between the products of their ends."""
    a, b = of(Symbol("a", low=2, high=3)), of(Symbol("b", low=5, high=7))
    assert (a * b).interval() == (10, 21)


def test_a_subtraction_of_the_same_symbol_leaves_nothing():
    """Terms that cancel are gone, so that the rest is exact."""
    x = of(Symbol("x"))
    assert (x + 5 - x).exact == 5


def test_a_constant_outside_its_range_is_left_alone():
    """A wrong constant is a finding of its own, not a reason to change it."""
    assert Quantity(99_999).within(0, 43_200).exact == 99_999


def test_quantities_have_no_truth_value():
    """A comparison is asked with certainly() or possibly(), never with `if`."""
    with pytest.raises(TypeError):
        bool(Quantity(1))
    with pytest.raises(TypeError):
        bool(Quantity(1) < Quantity(2))


def test_a_secret_figure_is_not_printed():
    """Sums of a secret value show its name."""
    secret = Quantity(30, shown="var.timeout (sensitive)")
    assert "30" not in str(secret * 6 + 5) and "180" not in str(secret * 6)


def test_texts_read_like_the_source():
    """Symbols are printed by their names, whole fractions as integers."""
    x = of(Symbol("var.timeout"))
    assert str(x * 6 + 5) == "6 × var.timeout + 5"
    assert str(Quantity(Fraction(10, 2))) == "5"


numbers = st.integers(-1000, 1000)


@given(numbers, numbers, st.integers(-50, 50), st.integers(0, 50), numbers)
def test_certain_answers_hold_for_every_value(k, c, low, width, d):
    """Whatever value the symbol takes within its bounds, a certain comparison holds and an impossible one does not."""
    symbol = Symbol("x", low=low, high=low + width)
    answer = Quantity(c, {symbol: k}) < d if k else Quantity(c) < d
    for value in range(low, low + width + 1):
        if answer.certain:
            assert k * value + c < d
        if not answer.possible:
            assert not k * value + c < d


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("30", 30), (" -1.50 ", Fraction(-3, 2)), ("1e3", 1000), (".5", Fraction(1, 2)), ("5.", 5),
        ("1e999999999", None), ("1e-999999999", None), ("9" * 500, None), ("1/2", None), ("1_000", None),
        ("nan", None), ("inf", None), ("", None), ("1e", None), ("0x10", None), ("\u0663", None),
    ],
)  # fmt: skip
def test_text_is_a_number_if_it_can_be_held(text: str, number: object) -> None:
    """A few letters may stand for a number of a billion digits."""
    assert exact_number(text) == number
