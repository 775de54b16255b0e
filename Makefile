# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Both build the virtual environment .venv when it is missing or pyproject.toml has changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# As many test processes as there are cores, at most four.
WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); [ $$n -gt 4 ] && echo 4 || echo $$n)

.DEFAULT_GOAL := help
.PHONY: help demo test check test-long test-browser test-engines test-fuzz test-mlflow test-lowest docs dist bench clean

help:
	@echo "make demo          train on digits with half of the pixels and labels hidden; writes demo_output/digits.png"
	@echo "make test          format, lint, types, import layers, and all tests"
	@echo "make check         the first four of these, without the tests"
	@echo "make test-long     the tests that make test leaves out because they take long"
	@echo "make test-browser  the reports in a real browser (needs Chromium)"
	@echo "make test-engines  Dask and Spark with processes of their own (Spark needs Java)"
	@echo "make test-fuzz     500 requests to the service, made by schemathesis"
	@echo "make test-mlflow   models in MLflow, in an environment of their own"
	@echo "make test-lowest   the tests with the lowest versions that pyproject.toml allows"
	@echo "make dist          wheel and source distribution in dist, and the README run from the wheel"
	@echo "make docs          the site in docs/_build/html: guide, gallery, API; warnings are errors"
	@echo "make bench         rows per second of Lossy-CD beside scikit-learn's BernoulliRBM, on an idle machine"
	@echo "make clean         remove the virtual environment and everything generated"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "halfseen needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[cli,report]"
	@touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable ".[cli,report,serve]"
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/python examples/digits.py

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -n $(WORKERS) -rs -m "not long and not browser and not engines"
	@echo
	@echo "Not run by make test, and how to run it:"
	@echo "  tests that take long (scikit-learn checks with full defaults, the README):  make test-long"
	@echo "  the reports in a real browser (needs Chromium):  make test-browser"
	@echo "  Dask and Spark with processes of their own (Spark needs Java):  make test-engines"
	@echo "  500 requests to the service, made by schemathesis:  make test-fuzz"
	@echo "  models in MLflow, which brings many packages:  make test-mlflow"
	@echo "  the demonstration:  make demo"
	@echo "  anything listed as SKIPPED above: the reason says what it needs"

test-browser: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group browser
	HALFSEEN_BROWSER_TESTS=1 $(BIN)/python -m pytest -rs -m browser tests/browser

test-engines: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group engines
	$(BIN)/python -m pytest -rs -m engines tests/engines

test-fuzz: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group fuzz
	$(BIN)/python -m pytest -rs tests/serve/test_fuzz.py

# MLflow brings many packages that nothing else here needs.
test-mlflow: $(VENV)/bin/python pyproject.toml
	$(PYTHON) -m venv $(VENV)-mlflow
	$(VENV)-mlflow/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(VENV)-mlflow/bin/python -m pip install --quiet --disable-pip-version-check --group mlflow \
	  --editable ".[mlflow]"
	$(VENV)-mlflow/bin/python -m pytest -rs tests/test_mlflow.py

test-long: $(VENV)/.test
	$(BIN)/python -m pytest -rs -m long

# Everything that is run by make test, in an environment of its own. Old versions may call what new
# versions of others have deprecated.
test-lowest: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5"
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)-lowest
	VIRTUAL_ENV=$(VENV)-lowest $(BIN)/uv pip install --quiet --resolution lowest-direct --group test \
	  --editable ".[cli,excel,report,serve,dask,mlflow]"
	$(VENV)-lowest/bin/python -m pytest -n $(WORKERS) -rs -m "not long and not browser and not engines" \
	  -W default::DeprecationWarning -W default::FutureWarning

# The wheel is built from the source distribution, and tried where nothing else is installed.
dist: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dist
	rm -rf dist $(VENV)-dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv $(VENV)-dist
	$(VENV)-dist/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[report,serve]" pandas
	$(VENV)-dist/bin/python tests/guide/try_wheel.py README.md
	@ls -l dist

# The gallery is run, which takes minutes; what has not changed since is kept.
docs: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs --editable ".[cli,report,serve,dask]"
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

bench: $(VENV)/.test
	$(BIN)/python benchmarks/lossy_cd.py

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-mlflow $(VENV)-dist demo_output dist docs/_build docs/gallery docs/api/generated .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
