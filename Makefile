# Two commands do everything on a machine that has Python 3.11 or later:
#   make demo   opens a real report (without a terminal: prints its first rows)
#   make test   runs every check and every test
# make docs writes the documents as a static site to build/site.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SAMPLE := tests/corpus/graalvm/real_23.0_helloworld/reports

# Tests that call kernels: each with arguments of its own, and all that build indexes with samples and damaged files.
KERNEL_TESTS := call_tree_twins callgraph_weight compared_calls compared_objects csv_search csv_twins damaged_lengths distances dump_kernels \
	dump_stages heap_dominators heap_merged heap_numbers heap_strings heap_suspects hotspot_log hotspot_decisions \
	hotspot_strict index_blocks jfr_twins hprof_build hprof_heap hprof_kernels kernel_bounds names object_build object_kernel places search \
	state_finder text_index text_lines tptp_flow tptp_heap tptp_join tptp_kernels tptp_reader unreachable
BOUNDS := $(CURDIR)/$(VENV)/bounds

# Two more than processors, as tests wait for the programs that they start; at most four.
PROCESSES := $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 3 ? n + 2 : 4)))

.PHONY: demo test check unit fleet kernels wheel bundle release-check search damage bounds pictures keys tables docs snapshots bench clean

# The sample needs no kernels. On a terminal they are compiled afterwards, when nothing else wants the processor.
demo: $(VENV)/.ready
	@$(BIN)/coffeetree $(SAMPLE)/call_tree_helloworld_20261121_030105.txt.xz
	@test ! -t 1 || nice -n 19 $(MAKE) --no-print-directory kernels > /dev/null 2>&1 &

# Side by side: most checks use one processor, and tests wait now and then.
test: $(VENV)/.test-ready
	@$(MAKE) --no-print-directory --jobs=2 check unit

check: $(VENV)/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Kernels that were changed are compiled first. Bytecode of changed modules, and of tests, is kept: each child process
# would compile them again.
unit: export PYTHONDONTWRITEBYTECODE :=
unit: $(VENV)/.test-ready kernels
	$(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist worksteal

# Properties with examples that nobody has tried yet, many times as many as usual.
search: $(VENV)/.test-ready
	HYPOTHESIS_PROFILE=search $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal -m hypothesis

# Recordings cut at 1,000 places and with 1,000 changed bytes each, which takes hours.
damage: $(VENV)/.test-ready
	nice $(BIN)/python tests/formats/jfr/search_damage.py

# Kernels that check each index, compiled beside the others: fails if any is outside its array, and says in which line of
# which kernel, and in which test. A process may go on after that without the kernel, so the file of reports decides.
bounds: export COFFEETREE_BOUNDS := $(BOUNDS)
bounds: $(VENV)/.test-ready
	@rm -f $(BOUNDS)
	@$(BIN)/python -m parsers.runtime.compile > /dev/null || { cat $(BOUNDS); false; }
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal $(foreach name,$(KERNEL_TESTS),$(shell find tests -name test_$(name).py))
	@if test -s $(BOUNDS); then sort -u $(BOUNDS); false; fi

# Spark reads reports and exported tables: tests that need 490 MB of it, in an environment of its own, and Java 17.
fleet: $(VENV)-fleet/.ready
	$(VENV)-fleet/bin/python -m pytest tests/runtime/test_spark_source.py

$(VENV)-fleet/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)-fleet
	$(VENV)-fleet/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test,spark]'
	@touch $@

# The pictures that tests compare with; look at what changed before it is committed.
snapshots: $(VENV)/.test-ready
	$(BIN)/python -m pytest tests/tui/screen/test_snapshots.py --snapshot-update

# The pictures of the documents, and the page of all keys. `make pictures ONLY="why cut"` makes only these.
pictures: $(VENV)/.test-ready
	$(BIN)/python docs/make/pictures.py $(ONLY)

keys: $(VENV)/.ready
	$(BIN)/python docs/make/keys.py

# The page of all tables.
tables: $(VENV)/.ready
	$(BIN)/python docs/make/sql.py

# The documents as a static site in build/site. It loads nothing from the network, and equal documents give equal files.
docs: export SOURCE_DATE_EPOCH := 0
docs: $(VENV)/.docs-ready
	$(BIN)/mkdocs build --quiet --strict

bench: $(VENV)/.test-ready
	@ls bench/*.py

# The library of compiled kernels, in this checkout: groups that have not changed are not compiled again.
kernels: $(VENV)/.kernels-ready
	@$(BIN)/python -m kernel_build > /dev/null

# A wheel with the library, and an sdist, in dist/. Equal sources give equal files.
wheel: export SOURCE_DATE_EPOCH := 315532800
wheel: $(VENV)/.wheel-ready
	$(BIN)/python -m build --outdir dist .

# One zip with the program and its libraries, for machines without a network, in dist/.
bundle: wheel
	$(BIN)/python release/bundle.py dist/*.whl dist

# All that a release must be: built twice, installed into an empty environment, used there. Takes some minutes.
release-check: export SOURCE_DATE_EPOCH := 315532800
release-check: $(VENV)/.wheel-ready
	$(BIN)/python release/check.py build/release

# Modules are compiled to bytecode as part of the set-up, by all processors (pip uses one), so that no later command
# waits for that, not even where PYTHONDONTWRITEBYTECODE is set. Not those that are hardly used afterwards.
UNUSED := '/(pip|setuptools|mypyc?|lexers|tests)/'
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable .
	$(BIN)/python -m compileall -qq -j 0 -x $(UNUSED) $(VENV)/lib parsers tui
	@touch $@

$(VENV)/.kernels-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[kernels]'
	@touch $@

# All at once: each call of pip makes an environment to build this project in.
$(VENV)/.test-ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable '.[test]'
	$(BIN)/python -m compileall -qq -j 0 -x $(UNUSED) $(VENV)/lib parsers tui
	@touch $(VENV)/.ready $(VENV)/.kernels-ready $@

$(VENV)/.wheel-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt build auditwheel cyclonedx-bom
	@touch $@

$(VENV)/.docs-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@touch $@

# Also clears numba's cache: it does not notice a change in a kernel that another kernel calls.
clean:
	rm -rf $(VENV) $(VENV)-fleet build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
