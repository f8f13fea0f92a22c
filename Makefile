# Two commands do everything on a fresh machine with Python 3.11, make and a package index: make demo, make test.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

# Modules are compiled once, and not anew by each of the many programs that tests start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo example-extraction example-language example-tabular test test-slow lint types check bench clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

# The stamp is newer than the project file once everything is installed, so a second call costs nothing.
$(VENV)/.installed: pyproject.toml src/robust/version.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "robust needs Python 3.11 or newer; set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,examples]'
	@touch $@

demo: $(VENV)/.installed  ## run the main job on the shipped example of real amounts
	$(BIN)/python examples/amounts/run.py

example-language: $(VENV)/.installed  ## run a published language model in process and behind a socket
	$(BIN)/python examples/language/run.py

example-extraction: $(VENV)/.installed  ## flag wrong totals of receipts without labels, then score the flags
	$(BIN)/python examples/extraction/run.py

example-tabular: $(VENV)/.installed  ## what may and what must move a model over rows
	$(BIN)/python examples/tabular/run.py

lint: $(VENV)/.installed  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy src tests examples benchmarks
	@for name in extraction language tabular; do $(BIN)/mypy examples/$$name/run.py || exit 1; done

test: lint  ## lint, types and tests with branch coverage
	$(BIN)/python -m pytest -n 2 -m "not slow" --cov --cov-report=term-missing:skip-covered

test-slow: $(VENV)/.installed  ## long simulations
	$(BIN)/python -m pytest -n 2 -m slow

bench: $(VENV)/.installed  ## side-by-side measurements against peers, as ratios
	@status=0; for name in run parity parity_diff parity_production client decisions properties properties_speed production oracle_command manifest_scale verify_speed relations_speed population_speed report_page; do echo "== benchmarks/$$name.py"; \
	$(BIN)/python benchmarks/$$name.py || status=1; done; exit $$status

clean:  ## remove everything that the other targets made
	rm -rf $(VENV) .bench .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage* build dist
