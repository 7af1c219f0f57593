# Every command of the project. Needs python3 (3.11 or newer) with pip, and make; `make` alone lists the targets.

PYTHON         ?= python3
PYTEST_FLAGS   ?= -q
PYTEST_WORKERS ?= 3
SOAK_KILLS     ?= 100
SOAK_SEED      ?=
UPGRADE        ?=

VENV := .venv
# -P keeps the working directory off sys.path, where `graphs` would be a second copy of `twofold.graphs`.
RUN  := $(VENV)/bin/python -P -m
PIP  := $(RUN) pip install --quiet --no-input --disable-pip-version-check --root-user-action=ignore

.DEFAULT_GOAL := help
.PHONY: help demo test soak bench check format lock wheel clean distclean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.demo  ## show both memories at work: no account, no database to set up
	@$(VENV)/bin/twofold demo

# Three processes, because many tests wait for a server, a kill or a timer. A file stays in one of them: its fixtures do.
# In the order of their folders, so that the many short unit tests come last and the slow files do not end alone.
test: $(VENV)/.dev  ## run the tests; PYTEST_FLAGS="-k recall", PYTEST_WORKERS=0 for one process
	@$(RUN) pytest -n $(PYTEST_WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_FLAGS)

soak: $(VENV)/.dev  ## the long tests; kill processes and PostgreSQL in every phase of a save, ten minutes; SOAK_KILLS=500 SOAK_SEED=1
	@$(RUN) pytest -n $(PYTEST_WORKERS) --dist loadfile $(PYTEST_FLAGS) -m long
	@$(VENV)/bin/python -m tests.soak --kills $(SOAK_KILLS) $(if $(SOAK_SEED),--seed $(SOAK_SEED))

bench: $(VENV)/.dev  ## time accept, recall and save beside the raw limit, and what a person takes in the database
	@$(VENV)/bin/python benchmarks/journey.py
	@$(VENV)/bin/python benchmarks/write.py
	@$(VENV)/bin/python benchmarks/sizing.py

check: $(VENV)/.dev  ## lint, format, types, layers
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint types

.PHONY: lint types
lint:
	@$(RUN) ruff check
	@$(RUN) ruff format --check
	@$(VENV)/bin/lint-imports
	@$(RUN) mypy --cache-dir .mypy_cache/package

types:
	@$(RUN) mypy tests

format: $(VENV)/.dev  ## rewrite the code as `make check` wants it
	@$(RUN) ruff check --fix
	@$(RUN) ruff format

wheel: $(VENV)/.dev  ## build the wheel into dist/
	@$(RUN) build --wheel --no-isolation --outdir dist .

clean:  ## remove what builds and tools left
	@rm -rf build dist src/*.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

distclean: clean  ## also remove the virtual environments
	@rm -rf $(VENV) $(LOCK_VENV)

# --- The virtual environment. A stamp file says what is installed; it is stale when its sources are newer. ---

# Debian without python3-venv has no ensurepip: there the system's pip installs a pip into the bare environment.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'twofold needs Python 3.11 or newer: make PYTHON=/path/to/python3.11'; exit 1; }
	@echo 'making $(VENV)'
	@$(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 \
	  || { $(PYTHON) -m venv --clear --without-pip $(VENV) \
	       && $(PYTHON) -m pip --python $(VENV)/bin/python install --quiet --disable-pip-version-check $(LOCK_PIP); }
	@touch $@

# setuptools is in every lock file, so that the project itself builds without a download.
$(VENV)/.demo $(VENV)/.dev: $(VENV)/.%: requirements/%.txt pyproject.toml setup.py | $(VENV)/.made
	@echo 'installing $<'
	@$(PIP) --require-hashes -r $<
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(if $(filter dev,$*),$(VENV)/.demo)

# --- The lock files: one set of versions, with hashes, and nothing of the machine that made them. ---

LOCK_VENV := .venv-lock
LOCK_PIP  := pip==26.3
# The machine's pip settings stay out: they could bring in other indexes, local wheels or constraints.
COMPILE   := env -u PIP_FIND_LINKS -u PIP_EXTRA_INDEX_URL -u PIP_CONSTRAINT PIP_CONFIG_FILE=/dev/null \
  CUSTOM_COMPILE_COMMAND='make lock' $(LOCK_VENV)/bin/pip-compile --quiet --no-config --strip-extras --allow-unsafe \
  --generate-hashes --no-emit-options --annotation-style line --build-deps-for editable

lock: $(LOCK_VENV)/.made  ## write requirements/*.txt again; UPGRADE=1 takes newer versions
	@rm -f requirements/base.txt requirements/demo.txt
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --all-extras --output-file requirements/dev.txt pyproject.toml
	@$(COMPILE) --constraint requirements/dev.txt --extra adk-db --output-file requirements/demo.txt pyproject.toml
	@$(COMPILE) --constraint requirements/dev.txt --output-file requirements/base.txt pyproject.toml

$(LOCK_VENV)/.made:
	@$(PYTHON) -m venv --clear $(LOCK_VENV)
	@$(LOCK_VENV)/bin/pip install --quiet --disable-pip-version-check $(LOCK_PIP) pip-tools==7.6.2
	@touch $@
