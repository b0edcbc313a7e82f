"""Conditions over atoms, and what can hold at once."""

from hoplint.model.condition import FALSE, OTHER, TRUE, Atom, Scenario, both, can_hold, either, negate


def test_one_parameter_is_one_atom():
    """Two comparisons of one parameter with different constants never hold at once."""
    stage = Atom("Stage")
    assert not can_hold(stage.compare("prod"), stage.compare("dev"))
    assert can_hold(stage.compare("prod"), negate(stage.compare("dev")))


def test_neither_constant_is_a_value_too():
    """An open parameter may be none of the constants that it is compared with."""
    stage = Atom("Stage")
    assert can_hold(negate(stage.compare("prod")), negate(stage.compare("dev")))


def test_allowed_values_close_the_list():
    """With allowed values, one of them must hold."""
    stage = Atom("Stage", domain=("prod", "dev"))
    assert not can_hold(negate(stage.compare("prod")), negate(stage.compare("dev")))
    assert stage.compare("test") is FALSE


def test_constants_simplify():
    """What is decided leaves no formula behind."""
    prod = Atom("Stage").compare("prod")
    assert both(TRUE, prod) is prod
    assert both(FALSE, prod) is FALSE
    assert either(TRUE, prod) is TRUE
    assert either() is FALSE and both() is TRUE


def test_a_scenario_takes_the_default_first():
    """An atom that nobody decided gets its default; without one, none of the constants."""
    stage, env = Atom("Stage", default="prod"), Atom("var.env")
    conditions = stage.compare("prod"), env.compare("live")
    scenario = Scenario()
    assert conditions[0].holds(scenario)
    assert not conditions[1].holds(scenario)
    assert scenario.assigned == {stage: "prod", env: OTHER}


def test_atoms_are_told_as_the_user_wrote_them():
    """A finding that holds in one case names it by the comparison."""
    stage = Atom("Stage")
    stage.compare("prod")
    assert stage.describe("prod") == 'Stage == "prod" is true'
    assert stage.describe(OTHER) == 'Stage == "prod" is false'
    assert Atom("var.fifo", boolean=True).describe("true") == "var.fifo is true"


def test_many_atoms_make_an_absence_undecided_not_slow():
    """Forty conditions are too many to enumerate: then they are taken to be able to hold."""
    assert can_hold(*(Atom(f"P{number}").compare("x") for number in range(40)))
