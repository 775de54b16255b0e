"""The colours of a page, in light and in dark."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Palette:
    """The colours of one appearance, as "#rrggbb".

    The series follow Okabe and Ito, whose colours stay apart for most eyes; each is darkened or
    lightened until it is legible on its paper.

    Examples
    --------
    >>> contrast(LIGHT.ink, LIGHT.paper) > 7
    True
    """

    paper: str
    raised: str
    ink: str
    quiet: str
    rule: str
    grid: str
    link: str
    mark: str
    cool: str
    warm: str
    hole: str
    s1: str
    s2: str
    s3: str
    s4: str
    s5: str
    s6: str
    s7: str
    s8: str


LIGHT = Palette(
    paper="#fdfdfb",
    raised="#f4f4f0",
    ink="#1c2126",
    quiet="#59626b",
    rule="#c9ccc9",
    grid="#e6e7e3",
    link="#00588a",
    mark="#fbf0cf",
    cool="#0067a3",
    warm="#bb4a00",
    hole="#bb4a00",
    s1="#0067a3",
    s2="#bb4a00",
    s3="#007a5a",
    s4="#9a4c80",
    s5="#8f6400",
    s6="#3f8fc0",
    s7="#6c6f00",
    s8="#59626b",
)
DARK = Palette(
    paper="#14181c",
    raised="#1c2227",
    ink="#e4e6e4",
    quiet="#a3acb3",
    rule="#3d464d",
    grid="#262d33",
    link="#7cc4f4",
    mark="#3d3410",
    cool="#5fb2ec",
    warm="#f29055",
    hole="#f29055",
    s1="#5fb2ec",
    s2="#f29055",
    s3="#3fc79d",
    s4="#e29bc8",
    s5="#e8b64a",
    s6="#9ad3f7",
    s7="#d9d46a",
    s8="#a3acb3",
)


def palette_css() -> str:
    """The variables of both appearances: dark where the system or the reader asks for it.

    What is printed is always light.

    Examples
    --------
    >>> "--paper:#fdfdfb" in palette_css()
    True
    """
    light, dark = _variables(LIGHT), _variables(DARK)
    return "\n".join(
        [
            f":root{{color-scheme:light;{light}}}",
            "@media (prefers-color-scheme:dark){"
            f':root:not([data-theme="light"]){{color-scheme:dark;{dark}}}}}',
            f':root[data-theme="dark"]{{color-scheme:dark;{dark}}}',
            "@media print{"
            f':root,:root[data-theme],:root:not([data-theme="light"])'
            f"{{color-scheme:light;{light}}}}}",
        ]
    )


def contrast(first: str, second: str) -> float:
    """Ratio of the luminances of two colours, from 1 to 21, after WCAG 2.

    Parameters
    ----------
    first, second : str
        Colours as "#rrggbb", in either order.

    Returns
    -------
    float

    Examples
    --------
    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """
    brighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _variables(palette: Palette) -> str:
    return ";".join(f"--{field.name}:{getattr(palette, field.name)}" for field in fields(palette))


def _luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
