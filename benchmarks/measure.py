"""Run a command and read from the operating system what it cost. POSIX only."""

import os
import signal
import statistics
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class CommandError(Exception):
    """A measured command ended in a way that makes its figures worthless."""


@dataclass(frozen=True)
class Sample:
    """What one run of a command cost."""

    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True)
class Command:
    """A command line with the exit codes that mean that it did its work."""

    argv: tuple[str, ...]
    accepted: frozenset[int] = frozenset({0})
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Series:
    """The samples of one command on one piece of work."""

    samples: list[Sample] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        """Median of the CPU seconds."""
        return statistics.median(sample.cpu for sample in self.samples)

    @property
    def wall(self) -> float:
        """Median of the elapsed seconds."""
        return statistics.median(sample.wall for sample in self.samples)

    @property
    def peak(self) -> float:
        """Median of the peak memory in MB."""
        return statistics.median(sample.peak for sample in self.samples)

    def as_json(self) -> dict[str, object]:
        """Medians and all samples."""
        return {
            "cpu_seconds": round(self.cpu, 4),
            "wall_seconds": round(self.wall, 4),
            "peak_mb": round(self.peak, 1),
            "samples": [[round(s.cpu, 4), round(s.wall, 4), round(s.peak, 1)] for s in self.samples],
        }


class Stopwatch:
    """Runs commands in one folder, with an environment that holds nothing of the user's."""

    def __init__(self, folder: Path, timeout: float) -> None:
        """Keep outputs in ``folder`` and end any command that runs longer than ``timeout`` seconds."""
        self._folder = folder
        self._timeout = timeout
        home = folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        self._environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TMPDIR": str(home),
        }
        self.output = folder / "stdout"
        self._errors = folder / "stderr"

    def run(self, command: Command) -> Sample:
        """Run a command to its end.

        CPU is that of the process and all descendants that were waited for, peak memory that of the largest of them.
        Memory below what this very process holds cannot be seen: a new process starts with its parent's mark.
        """
        began = time.perf_counter()
        pid = self._spawn(command)
        ended = threading.Event()
        guard = threading.Timer(self._timeout, _end_group, (pid, ended))
        guard.start()
        try:
            _, status, usage = os.wait4(pid, 0)
        except BaseException:
            os.killpg(pid, signal.SIGKILL)
            raise
        finally:
            ended.set()
            guard.cancel()
        wall = time.perf_counter() - began
        code = os.waitstatus_to_exitcode(status)
        if code not in command.accepted:
            raise CommandError(self._story(command.argv, code))
        return Sample(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * _RSS_UNIT / 1e6)

    def _spawn(self, command: Command) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(self.output), flags, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, str(self._errors), flags, 0o600),
        ]
        environment = {**self._environment, **command.environment}
        return os.posix_spawnp(command.argv[0], command.argv, environment, file_actions=actions, setpgroup=0)

    def _story(self, argv: Sequence[str], code: int) -> str:
        said = self._errors.read_text(encoding="utf-8", errors="replace").strip() or "(nothing on standard error)"
        shown = " ".join(argv[:6]) + (" …" if len(argv) > 6 else "")
        how = f"ended after {self._timeout:.0f} s" if code == -signal.SIGKILL else f"exit code {code}"
        return f"{shown}: {how}\n{said[-2000:]}"


def _end_group(pid: int, ended: threading.Event) -> None:
    if not ended.is_set():
        os.killpg(pid, signal.SIGKILL)
