"""What is public is what the packages say is public."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import halfseen

PACKAGES = [
    "halfseen",
    *(
        module.name
        for module in pkgutil.walk_packages(halfseen.__path__, "halfseen.")
        if module.ispkg
    ),
]


def members(package: ModuleType) -> set[str]:
    """Public names of a package besides its modules and what it only needs itself."""
    return {
        name
        for name, member in vars(package).items()
        if not name.startswith("_")
        and name != "TYPE_CHECKING"
        and not inspect.ismodule(member)
        and getattr(member, "__module__", package.__name__).startswith("halfseen")
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_all_names_every_public_member(name: str) -> None:
    package = importlib.import_module(name)
    # Without a list, what is imported "as" itself is public, as type checkers have it.
    listed = getattr(package, "__all__", members(package))
    assert len(listed) == len(set(listed))  # their order is ruff's to check (RUF022)
    for member in listed:
        assert hasattr(package, member)  # from here on, what is loaded when used is there, too
    assert members(package) == set(listed) - {"__version__"}


def test_importing_is_light_and_unknown_names_are_errors() -> None:
    program = (
        "import sys, halfseen; heavy = {'jax', 'sklearn', 'numpy'} & set(sys.modules); "
        "assert not heavy, heavy; assert 'HalfseenClassifier' in dir(halfseen)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="no attribute 'RBMClassifer'"):
        _ = halfseen.RBMClassifer


def test_what_users_import() -> None:
    assert set(halfseen.__all__) >= {
        "DivergenceError",
        "ObservedStratifiedKFold",
        "HalfseenClassifier",
        "HalfseenImputer",
        "TrainingInterrupted",
        "__version__",
        "load",
        "observed_scorer",
    }


@pytest.mark.parametrize("name", sorted(set(halfseen.__all__) - {"__version__"}))
def test_every_public_name_is_documented(name: str) -> None:
    member = getattr(halfseen, name)
    text = inspect.getdoc(member) or ""
    assert text
    is_class = inspect.isclass(member)
    if inspect.isfunction(member) or (is_class and not issubclass(member, Exception)):
        assert "Examples" in text


QUIET = """
import os, sys
import jax
before = dict(jax.config.values)
environment = dict(os.environ)
import halfseen
from halfseen import HalfseenClassifier, RBMClassifier, load
assert dict(jax.config.values) == before, "halfseen changed the configuration of JAX"
assert dict(os.environ) == environment, "halfseen changed the environment"
heavy = {"pandas", "polars", "pyarrow", "matplotlib"} & set(sys.modules)
assert not heavy - set(sys.argv[1].split(",")), heavy
"""


def test_importing_changes_nothing_else() -> None:
    # Libraries that scikit-learn or JAX bring along by themselves are not ours to answer for.
    code = "import sys, jax, optax, sklearn.base, sklearn.metrics; print(','.join(sys.modules))"
    theirs = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    modules = {name for name in theirs.stdout.strip().split(",") if "." not in name}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", QUIET, ",".join(sorted(modules))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
