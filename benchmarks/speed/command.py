"""The command: measure, print, keep."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from halfseen.machine.compilation_cache import kept_compilations
from speed.completion_throughput import completions
from speed.explanation_throughput import explanations
from speed.finding import Finding
from speed.fit_memory import memory_of_fits
from speed.goals import described
from speed.growth import QUICK_STUDIES, STUDIES, GrowthPoint, growth
from speed.lossy_cd_epoch import ALL_CASES, MNIST_CASES, SOME_CASES, Case, likelihood_epochs
from speed.machine_facts import machine_facts
from speed.matrix_peak import matrix_peak
from speed.measurement import Measurement
from speed.peer_epochs import bernoulli_rbm_epochs, torch_peer_epochs
from speed.predictive_epoch import CASES as PREDICTIVE_CASES
from speed.predictive_epoch import QUICK_CASES as QUICK_PREDICTIVE_CASES
from speed.predictive_epoch import predictive_epochs
from speed.run_record import RunRecord
from speed.speed_page import write_speed_page
from speed.start_up import start_up
from speed.time_to_accuracy import digits_race, mnist_race

SECTIONS = (
    "lossy_cd",
    "persistent_cd",
    "mean_field_cd",
    "predictive",
    "completion",
    "explanation",
    "peers",
    "start_up",
    "accuracy",
    "memory",
    "growth",
)
_ROWS_OF_MEMORY = 180_000  # a table of more than 500 MB
_DIGITS_SECONDS = 15.0  # after which boosting gives up on digits
_QUICK_CASES = (Case(794, 100, 10), Case(794, 100, 100))
_HISTORY = Path(__file__).parents[1] / "history"


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    is_quick: bool
    n_repeats: int
    peer_python: str
    peer_seconds: float


def main(words: Sequence[str] | None = None) -> int:
    """Measure what was asked for; every section is kept as soon as it is done."""
    parsed = _parser().parse_args(words)
    n_repeats = parsed.repeats or (3 if parsed.quick else 7)
    options = Options(parsed.quick, n_repeats, parsed.peer_python, parsed.peer_seconds)
    facts = machine_facts(options.peer_python)
    print("\n".join(facts.lines), flush=True)
    run = RunRecord(
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), options.is_quick, facts, matrix_peak()
    )
    print(
        f"products of matrices: numpy {run.peak.by_numpy / 1e9:.1f}, JAX "
        f"{run.peak.by_jax / 1e9:.1f} GFLOP/s; the larger is the limit",
        flush=True,
    )
    began, failed = time.perf_counter(), list[str]()
    for section in parsed.only or SECTIONS:
        print(f"\n{section.replace('_', ' ')}", flush=True)
        try:
            with kept_compilations():
                _measure(section, options, run)
        except Exception as error:
            # What was measured before and what comes after stand on their own.
            failed.append(section)
            traceback.print_exc()
            run.not_measured.append(f"{section} ended early: {type(error).__name__}: {error}")
        run.write(parsed.out)
    run.peak_after = matrix_peak()
    path = run.write(parsed.out)
    write_speed_page(parsed.out / "speed.html", run, parsed.out)
    print("\nfigures and goals")
    for finding in run.findings:
        print(_finding_line(finding))
    for sentence in run.not_measured:
        print(sentence)
    after = run.peak_after.best / 1e9
    print(f"\nlimit once more: {after:.1f} GFLOP/s; {time.perf_counter() - began:.0f} s in all")
    print(f"kept in {path}, drawn in {parsed.out / 'speed.html'}")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="speed.py", description="Speed against the machine's limit and against peers."
    )
    parser.add_argument("--quick", action="store_true", help="the most important, in three minutes")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION",
                        help=f"of {', '.join(SECTIONS)}")  # fmt: skip
    parser.add_argument("--repeats", type=int, help="repeats of each (7; quick: 3)")
    parser.add_argument("--out", type=Path, default=_HISTORY, help="folder of this and earlier "
                        "runs (benchmarks/history)")  # fmt: skip
    parser.add_argument("--threads", type=int, help="cores to use (all); see speed.py")
    parser.add_argument("--peer-python", default=sys.executable, metavar="PATH",
                        help="an interpreter that has torch and rbms (this one)")  # fmt: skip
    parser.add_argument("--peer-seconds", type=float, default=300.0,
                        help="seconds after which boosting gives up (300)")  # fmt: skip
    return parser


def _measure(section: str, options: Options, run: RunRecord) -> None:
    tell = partial(_tell_measured, run)
    quick, n_repeats = options.is_quick, options.n_repeats
    match section:
        case "lossy_cd":
            likelihood_epochs("lossy_cd", MNIST_CASES if quick else ALL_CASES, n_repeats, tell)
        case "persistent_cd" | "mean_field_cd":
            likelihood_epochs(section, _QUICK_CASES if quick else SOME_CASES, n_repeats, tell)
        case "predictive":
            cases = QUICK_PREDICTIVE_CASES if quick else PREDICTIVE_CASES
            predictive_epochs(cases, n_repeats, tell)
        case "completion":
            completions(quick, n_repeats, tell)
        case "explanation":
            explanations(n_repeats, tell)
        case "peers":
            _measure_peers(options, run)
        case "start_up":
            start_up(n_repeats, partial(_tell_found, run))
        case "accuracy":
            _measure_accuracy(options, run)
        case "memory":
            if quick:
                run.not_measured.append("Memory of a fit was not measured in the quick run.")
            else:
                memory_of_fits(_ROWS_OF_MEMORY, partial(_tell_found, run))
        case "growth":
            studies = QUICK_STUDIES if quick else STUDIES
            growth(studies, partial(_tell_point, run), partial(_tell_found, run))


def _measure_peers(options: Options, run: RunRecord) -> None:
    alone = [case for case in ALL_CASES if case.n_replicas == 1]
    cases = _QUICK_CASES if options.is_quick else alone
    tell = partial(_tell_measured, run)
    bernoulli_rbm_epochs(cases, options.n_repeats, tell)
    for name in ("torch", "rbms"):
        sentence = torch_peer_epochs(name, options.peer_python, cases, options.n_repeats, tell)
        if sentence:
            run.not_measured.append(sentence)


def _measure_accuracy(options: Options, run: RunRecord) -> None:
    tell = partial(_tell_found, run)
    digits_race(min(options.peer_seconds, _DIGITS_SECONDS), tell)
    sentence = "MNIST was not measured in the quick run."
    if not options.is_quick:
        sentence = mnist_race(options.peer_seconds, tell)
    if sentence:
        run.not_measured.append(sentence)


def _tell_measured(run: RunRecord, one: Measurement) -> None:
    run.measurements.append(one)
    share = f"{100 * one.share_of(run.peak.best):6.1f} % of peak" if one.flops else ""
    print(
        f"  {one.name:14}{described(one):44}{one.microseconds_per_row:10.2f} us/row"
        f"{100 * one.spread:5.0f} %{share}",
        flush=True,
    )


def _tell_point(run: RunRecord, point: GrowthPoint) -> None:
    run.points.append(point)
    print(
        f"  {point.grown:14}{point.size:>12g}{point.median:12.4f} s/epoch"
        f"{point.megabytes:10.0f} MB",
        flush=True,
    )


def _tell_found(run: RunRecord, finding: Finding) -> None:
    run.single.append(finding)
    print(_finding_line(finding), flush=True)


def _finding_line(finding: Finding) -> str:
    goal = f"  ({finding.goal}: {finding.verdict})" if finding.goal else ""
    note = f"  [{finding.note}]" if finding.note else ""
    return f"  {finding.what:70} {finding.value:9.3g} {finding.unit}{goal}{note}"
