# Two commands do everything on a machine that has Python 3.11 or later:
#   make demo   opens a real report (without a terminal: prints its first rows)
#   make test   runs every check and every test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SAMPLE := tests/corpus/graalvm/real_23.0_helloworld/reports

.PHONY: demo test check unit search screenshots snapshots bench clean

demo: $(VENV)/.ready
	@$(BIN)/coffeetree $(SAMPLE)/call_tree_helloworld_20261121_030105.txt.xz

test: check unit

check: $(VENV)/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Kernels that were changed since the set-up are compiled first: a test that indexes a large file would wait for them.
unit: $(VENV)/.test-ready
	@$(BIN)/python -m parsers.compile > /dev/null
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

# Properties with examples that nobody has tried yet, ten times as many as usual.
search: $(VENV)/.test-ready
	HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal -m hypothesis

# The pictures that tests compare with; look at what changed before it is committed.
snapshots: $(VENV)/.test-ready
	$(BIN)/python -m pytest tests/test_snapshots.py --snapshot-update

screenshots: $(VENV)/.test-ready
	$(BIN)/python screenshots/make.py

bench: $(VENV)/.test-ready
	@ls bench/*.py

# Kernels and modules are compiled as part of the set-up, so that nobody waits for them later, not even where
# PYTHONDONTWRITEBYTECODE is set.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	$(BIN)/python -m compileall -q parsers tui
	$(BIN)/python -m parsers.compile
	@touch $@

$(VENV)/.test-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	@touch $@

# Also clears numba's cache: it does not notice a change in a kernel that another kernel calls.
clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
