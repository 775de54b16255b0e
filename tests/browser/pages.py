"""The pages that the browser opens: a whole report, and one of every part there is."""

from __future__ import annotations

import numpy as np

from halfseen.report import (
    Cell,
    Details,
    Facts,
    Gallery,
    Note,
    Page,
    Picture,
    ScoreRow,
    Section,
    Table,
    TableColumn,
    model_report,
)
from halfseen.report.pictures import (
    Bar,
    Cloud,
    Curve,
    ImageRow,
    bars_svg,
    curves_svg,
    dots_svg,
    grey_images_svg,
    heat_map_svg,
    histogram_svg,
    missing_map_svg,
    reliability_of,
    reliability_svg,
    scatter_svg,
    share_svg,
    spark_svg,
)
from report.fitted import fitted_model
from report.small import HOSTILE

N_ROWS = 30


def model_page() -> Page:
    """A whole report, with everything given."""
    fitted = fitted_model()
    names = ("halfseen", "mean, then gradient boosting", HOSTILE)
    scores = [
        ScoreRow(name, score, value / (1 + k), 0.01, 0.1 + 3 * k)
        for score, value in (("AUC", 0.9), ("RMSE", 0.7))
        for k, name in enumerate(names)
    ]
    return model_report(
        fitted.model,
        X=fitted.X,
        y=fitted.y,
        source_name=f"devices {HOSTILE}.csv",
        evaluation=scores,
        made_by=("halfseen", "report", "a model"),
    )


def table_of_everything() -> Table:
    """More rows than are shown, numbers that text would sort wrongly, and holes."""
    rows = [
        (
            f"name {k}",
            (7 * k) % N_ROWS,
            None if k % 5 == 0 else -1.5 * k,
            Cell(f"{k} %", k / 100, share_svg(k / 100, f"{k} %")),
            Cell("", k, spark_svg([k, 1, 2], "a spark")),
            "a_very_long_word_without_any_break_that_could_push_a_table_wide" * (k % 2),
        )
        for k in range(N_ROWS)
    ]
    heads = (
        "name",
        TableColumn("number", numeric=True),
        TableColumn("signed", numeric=True),
        TableColumn("share", numeric=True),
        "spark",
        "words",
    )
    return Table(heads, rows, "A table of everything.")


def pictures() -> list[Picture]:
    """One of every kind."""
    generator = np.random.default_rng(0)
    words = {"title": "A picture", "description": "What it shows."}
    axes = {"x_label": "across", "y_label": "up"}
    x, said = np.arange(20.0), generator.random(200)
    names = [f"column number {k}" for k in range(40)]
    images = generator.random((8, 6, 6))
    drawn = [
        curves_svg([Curve("a", x, x, x - 1, x + 1), Curve("b", x, x[::-1])], **words, **axes),
        scatter_svg([Cloud("a", said, said)], **words, **axes, diagonal=True),
        scatter_svg([Cloud("a", [1, 20], [2, 3], ("first", "second"))], **words, **axes),
        reliability_svg([reliability_of("a", said, said > 0.5)], **words),
        bars_svg([Bar("one", 1.0), Bar("a name that is rather long", -0.5)], **words, x_label="x"),
        dots_svg([Bar("one", 1.0, 0.25), Bar("two", 2.0)], **words, x_label="x"),
        heat_map_svg(generator.normal(size=(8, 40)), names[:8], names, **words, value_label="v"),
        missing_map_svg(generator.random((40, 30)), names, **words, x_label="rows"),
        histogram_svg(said, **words, x_label="x", mark_x=0.5, mark_text="here"),
        grey_images_svg([ImageRow("seen", images, images > 0.5)], **words),
    ]
    return [Picture(svg, f"Picture {HOSTILE}") for svg in drawn]


def gallery_page() -> Page:
    """One of every part."""
    table = table_of_everything()
    sections = (
        Section("Words", "words", (Note("Plain. " * 60), Note("Absent.", "absent"))),
        Section("Tables", "tables", (Facts((("rows", "30"),) * 7), table)),
        Section("Folded", "folded", (Details("Open me", (table, Note("Inside."))),)),
        Section("Pictures", "pictures", (Gallery(pictures()), *pictures())),
    )
    return Page(f"A page {HOSTILE}", "Every part that there is.", sections)
