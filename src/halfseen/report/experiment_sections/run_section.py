"""How the study was run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfseen.report.experiment_sections.study import Study
from halfseen.report.page import Section
from halfseen.report.parts import Code, Details, Entry, Note, Part, Table


def run_section(study: Study) -> Section:
    """Plan, machine, versions.

    Parameters
    ----------
    study : Study
        Everything that was run.

    Returns
    -------
    Section

    Examples
    --------
    >>> from pathlib import Path
    >>> study = Study("A study", [], Path("run"), "title = 1", {"machine": {"cores": 2}})
    >>> [type(part).__name__ for part in run_section(study).parts]
    ['Note', 'Table', 'Details']
    """
    parts: list[Part] = [
        Note(
            "The same plan, versions and machine give the same scores; times are those of this "
            "machine. All records are plain files in the run folder, one a cell."
        )
    ]
    rows = _rows(study)
    if rows:
        parts.append(Table(("what", "value"), rows, "How it was run.", shown=40, sorts=False))
    if study.plan:
        parts.append(Details("The plan", [Code(study.plan.strip())]))
    return Section("How it was run", "run", parts)


def _rows(study: Study) -> list[list[Entry]]:
    about = study.about or {}
    rows: list[list[Entry]] = []
    if about.get("plan"):
        rows.append(["plan", str(about["plan"])])
    rows += _named(about.get("machine"))
    found: dict[str, list[str]] = {}
    listed = about.get("versions")
    for versions in [listed, *(record.versions for record in study.records)]:
        for name, version in (versions if isinstance(versions, Mapping) else {}).items():
            own = found.setdefault(str(name), [])
            if str(version) not in own:
                own.append(str(version))
    rows += [[name, ", ".join(versions)] for name, versions in found.items()]
    return rows


def _named(facts: Any) -> list[list[Entry]]:
    if not isinstance(facts, Mapping):
        return []
    return [[str(name), str(value)] for name, value in facts.items()]
