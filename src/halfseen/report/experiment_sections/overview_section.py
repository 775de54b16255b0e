"""Who is best where, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfseen.report.experiment_sections.best import Best, best_of
from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Setting, rate_text
from halfseen.report.experiment_sections.ranking import Rank, kinds_of, ranks
from halfseen.report.experiment_sections.score_kind import ScoreKind, score_text
from halfseen.report.experiment_sections.study import Study
from halfseen.report.experiment_sections.study_drawers import StudyDrawers
from halfseen.report.number_text import number_text
from halfseen.report.page import Section
from halfseen.report.parts import (
    Cell,
    CellTone,
    Details,
    Entry,
    Facts,
    Heading,
    Note,
    Part,
    Table,
    TableColumn,
)

_OF_LABELS = (True, False)
_ALL_ROWS = 60


def overview_section(study: Study) -> Section:
    """The winner of every setting, all comparisons with it, and mean ranks.

    Parameters
    ----------
    study : Study
        Everything that was run.

    Returns
    -------
    Section

    Examples
    --------
    >>> from halfseen.report.experiment_sections.example_study import example_study
    >>> study = example_study()
    >>> overview_section(study).title
    'Overview'
    """
    winners = {
        (setting, of_labels): best
        for setting in study.settings
        for of_labels in _OF_LABELS
        if (best := best_of(study, setting, _kind(study, setting, of_labels))) is not None
    }
    parts: list[Part] = [Facts(_facts(study)), *_sentences(winners), Note(_how_to_read(study))]
    if not any(one.is_prior for one in study.contenders):
        text = (
            "The constant prior (method column_prior) was not run, so that nothing here says what "
            "a score is worth. Add it to the plan and resume the run."
        )
        parts.append(Note(text, "caution"))
    tasks = list(dict.fromkeys(course.task for course in study.courses))
    for task in tasks:
        parts.append(Heading(f"Best of each setting, {task}"))
        parts += [
            table
            for of_labels in _OF_LABELS
            if (table := _winners(study, winners, task, of_labels)) is not None
        ]
    parts.append(Details("The best beside the next, setting by setting", [_beside(study, winners)]))
    parts += [Heading("Mean ranks"), _ranks(study, tasks)]
    return Section("Overview", "overview", parts)


def _kind(study: Study, setting: Setting, of_labels: bool) -> ScoreKind:
    return kinds_of(study, setting)[0 if of_labels else 1]


def _facts(study: Study) -> list[tuple[str, str]]:
    statuses = [record.status for record in study.records]
    seconds = sum(record.seconds for record in study.records if record.seconds == record.seconds)
    most = max(len({r.realisation for r in own}) for own in study.by_place.values())
    hours = f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"
    facts = [
        ("data sets", number_text(len({course.data_set for course in study.courses}))),
        ("settings", number_text(len(study.settings))),
        ("methods", number_text(len(study.contenders))),
        ("realisations", ("" if most == 1 else "up to ") + number_text(most)),
        ("cells done", number_text(statuses.count("done"))),
        ("failed", number_text(statuses.count("failed"))),
        ("left out", number_text(statuses.count("left_out"))),
        ("time of all cells", hours),
    ]
    return facts


def _sentences(winners: dict[tuple[Setting, bool], Best]) -> list[Note]:
    notes = []
    for of_labels in _OF_LABELS:
        own = [best for (_, which), best in winners.items() if which == of_labels]
        if not own:
            continue
        counts: dict[Contender, list[bool]] = {}
        for best in own:
            counts.setdefault(best.contender, []).append(best.is_alone)
        order = sorted(counts, key=lambda one: (-len(counts[one]), one))
        said = [
            f"{one.title} in {len(counts[one])}"
            + (f" (beyond chance in {sum(counts[one])})" if sum(counts[one]) else "")
            for one in order[:3]
        ]
        if len(order) > 3:
            said.append(f"others in {sum(len(counts[one]) for one in order[3:])}")
        what = "labels" if of_labels else "features"
        place = f"{len(own)} settings" if len(own) > 1 else "the one setting"
        notes.append(Note(f"Hidden {what}, best of {place}: {', '.join(said)}."))
    return notes


def _how_to_read(study: Study) -> str:
    text = (
        "A setting is a data set, a task and the shares of features and labels that were hidden. "
        "All methods saw the same masks. “Ahead of all” means that each of the others is behind "
        "beyond chance: paired over realisations, corrected resampled t test, Holm over the "
        "others, p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}0.05. Choose a figure to see every "
        "realisation behind it."
    )
    if any(record.task == "inductive" for record in study.records):
        text += " Transductive: the hidden entries of the rows learned from; inductive: new rows."
    return text


def _winners(
    study: Study, winners: dict[tuple[Setting, bool], Best], task: str, of_labels: bool
) -> Table | None:
    settings = [s for s, which in winners if which == of_labels and s.course.task == task]
    if not settings:
        return None
    rates = sorted({(s.feature_rate, s.label_rate) for s in settings})
    drawers = StudyDrawers(study)
    heads: list[TableColumn | str] = ["data set"]
    heads += [
        TableColumn(f"labels {rate_text(label)}", group=f"features {rate_text(feature)} hidden")
        for feature, label in rates
    ]
    rows: list[list[Entry]] = []
    for course in dict.fromkeys(setting.course for setting in settings):
        row: list[Entry] = [course.title.replace(f", {task}", "", 1)]
        for pair in rates:
            best = winners.get((Setting(course, *pair), of_labels))
            opens = "" if best is None else drawers.name(Setting(course, *pair), best.contender)
            row.append(None if best is None else _winner(best, opens))
        rows.append(row)
    kinds = {_kind(study, setting, of_labels).title for setting in settings}
    what = "labels" if of_labels else "features"
    caption = f"Hidden {what}, by {' or '.join(sorted(kinds))}. Bold is ahead of all others."
    return Table(heads, rows, caption, shown=_ALL_ROWS, sorts=False)


def _winner(best: Best, opens: str) -> Cell:
    below = score_text(best.tally.mean)
    if best.is_alone:
        below += ", ahead of all"
    elif len(best.equals) == 1:
        below += f", level with {best.equals[0].contender.title}"
    elif best.equals:
        below += f", level with\N{NO-BREAK SPACE}{len(best.equals)}"
    tone: CellTone = "strong" if best.is_alone else "plain"
    return Cell(best.contender.title, tone=tone, below=below, opens=opens)


def _beside(study: Study, winners: dict[tuple[Setting, bool], Best]) -> Table:
    drawers = StudyDrawers(study)
    rows: list[list[Entry]] = []
    for (setting, of_labels), best in winners.items():
        kind = _kind(study, setting, of_labels)
        prior = next((one for one in study.contenders_in(setting) if one.is_prior), None)
        constant = None if prior is None else study.tally(setting, prior, kind.name)
        following = best.rivals[0] if best.rivals else None
        rows.append(
            [
                setting.course.title,
                setting.rates,
                kind.title,
                Cell(best.contender.title, opens=drawers.name(setting, best.contender)),
                Cell(score_text(best.tally.mean, best.tally.spread), best.tally.mean),
                None if following is None else following.contender.title,
                None if following is None else following.behind,
                None if following is None else _chance(following.p),
                ", ".join(rival.contender.title for rival in best.equals),
                None if constant is None else Cell(score_text(constant.mean), constant.mean),
            ]
        )
    heads = (
        "setting",
        "hidden",
        "score",
        "best",
        TableColumn("its score", True),
        "next",
        TableColumn("behind by", True),
        TableColumn("p", True),
        "level with the best",
        TableColumn("constant prior", True),
    )
    caption = "The best of every setting, and how likely the next is behind by chance alone."
    return Table(heads, rows, caption)


def _chance(p: float) -> Entry:
    if p != p:
        return None
    return Cell("< 0.001" if p < 0.001 else f"{p:.3f}", p)


def _ranks(study: Study, tasks: Sequence[str]) -> Table:
    columns: list[tuple[str, bool, dict[Contender, Rank]]] = []
    for task in tasks:
        own = [setting for setting in study.settings if setting.course.task == task]
        for of_labels in _OF_LABELS:
            found = ranks(study, own, of_labels=of_labels)
            if found:
                columns.append((task, of_labels, found))
    heads: list[TableColumn | str] = ["method"]
    for task, of_labels, _ in columns:
        what = "labels" if of_labels else "features"
        heads.append(TableColumn(f"{what}, mean rank", True, group=task))
        heads.append(TableColumn("first in", True, group=task))
    heads += [TableColumn("median seconds", True), TableColumn("cells not done", True)]

    def order(one: Contender) -> tuple[float, Contender]:
        shares = [found[one].relative for *_, found in columns if one in found]
        return (float(np.mean(shares)) if shares else 2.0), one

    rows: list[list[Entry]] = []
    for one in sorted(study.contenders, key=order):
        row: list[Entry] = [Cell(one.title, tone="strong" if one.is_ours else "plain")]
        for *_, found in columns:
            rank = found.get(one)
            row.append(None if rank is None else Cell(f"{rank.mean:.1f}", rank.mean))
            row.append(None if rank is None else _first(rank))
        own_records = [r for (_, who), own in study.by_place.items() if who == one for r in own]
        times = [r.seconds for r in own_records if r.status == "done" and r.seconds == r.seconds]
        row.append(float(np.median(times)) if times else None)
        row.append(sum(record.status != "done" for record in own_records))
        rows.append(row)
    caption = (
        "Mean rank of each method among those that ran, over settings; 1 is best. Methods that ran "
        "in few settings were ranked in these alone."
    )
    return Table(heads, rows, caption, shown=_ALL_ROWS)


def _first(rank: Rank) -> Cell:
    return Cell(f"{rank.n_first} of {rank.n_settings}", rank.n_first)
