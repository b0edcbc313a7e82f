"""The results of one run as Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from measure import Series

HOPLINT = "hoplint"
CHECKOV = "checkov"
CFN_LINT = "cfn-lint"
CFN_VALIDATE = "cloudformation-validate"
FLOOR = "floor: parsing alone"

BARE = "a bare interpreter"


@dataclass
class Results:
    """Everything that one run has measured; keys are the work and then the tool, in the order of the tables."""

    versions: dict[str, str] = field(default_factory=dict)
    work: dict[str, dict[str, Series]] = field(default_factory=dict)
    startup: dict[str, Series] = field(default_factory=dict)
    promises: dict[str, int] = field(default_factory=dict)
    growth: list[tuple[int, Mapping[str, Series]]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def markdown(results: Results) -> Iterator[str]:
    """The tables, line by line."""
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    yield f"Medians. {versions}."
    yield ""
    yield from _work(results.work)
    if results.startup:
        yield ""
        yield from _startup(results.startup, results.promises)
    if growth(results.growth):
        yield ""
        yield from _growth(results.growth)


def growth(sizes: Sequence[tuple[int, Mapping[str, Series]]]) -> dict[str, dict[str, float]]:
    """Per tool: how much more the largest root costs than the one before it, and what a further resource costs."""
    (one, at_one), (small, at_small), (large, at_large) = sizes
    grown = {}
    for tool in at_large:
        if tool in at_one and tool in at_small:
            first, second, third = at_one[tool].cpu, at_small[tool].cpu, at_large[tool].cpu
            grown[tool] = {
                "ratio": third / second,
                "ms_per_resource_small": (second - first) * 1000 / (small - one),
                "ms_per_resource_large": (third - second) * 1000 / (large - small),
            }
    return grown


def _work(work: Mapping[str, Mapping[str, Series]]) -> Iterator[str]:
    yield "| work | tool | CPU s | CPU x hoplint | wall s | peak MB | runs |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for name, tools in work.items():
        own = tools.get(HOPLINT)
        for tool, series in tools.items():
            ratio = _ratio(series.cpu, own.cpu) if own else "-"
            peak, wall = (f"{series.peak:.0f}", f"{series.wall:.2f}") if tool != FLOOR else ("-", "-")
            yield f"| {name} | {tool} | {series.cpu:.2f} | {ratio} | {wall} | {peak} | {len(series.samples)} |"


def _startup(startup: Mapping[str, Series], promises: Mapping[str, int]) -> Iterator[str]:
    bare = startup[BARE]
    yield "| start | CPU ms | x bare | wall ms | x bare | promised at most | peak MB | runs |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, series in startup.items():
        promise = f"{promises[name]} x" if name in promises else "-"
        yield (
            f"| {name} | {series.cpu * 1000:.0f} | {_ratio(series.cpu, bare.cpu)} | {series.wall * 1000:.0f} "
            f"| {_ratio(series.wall, bare.wall)} | {promise} | {series.peak:.0f} | {len(series.samples)} |"
        )


def _growth(sizes: Sequence[tuple[int, Mapping[str, Series]]]) -> Iterator[str]:
    one, small, large = (f"{size:,}" for size, _ in sizes)
    yield f"| growth | CPU at {large} ÷ at {small} | ms per resource, {one} to {small} | {small} to {large} |"
    yield "| --- | ---: | ---: | ---: |"
    for tool, figures in growth(sizes).items():
        yield (
            f"| {tool} | {figures['ratio']:.1f} | {figures['ms_per_resource_small']:.2f} "
            f"| {figures['ms_per_resource_large']:.2f} |"
        )


def _ratio(value: float, unit: float) -> str:
    ratio = value / unit
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"
