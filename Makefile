# `make run` and `make test` set up all they need: Python 3.11 or later, git and make are enough.
#   PYTHON=…   the interpreter that .venv is made with       ARGS=…  options for the command run
.DEFAULT_GOAL := help
.PHONY: help run test check format docs bench live oldgit torture soak fuzz clean \
        check-format check-lint check-types check-layers check-docs check-rules

BIN := .venv/bin
DOCS := README.md docs/architecture.md docs/cli.md docs/config.md docs/hooks.md docs/tuning.md docs/writing-a-sensor.md
COG := $(BIN)/cog -I docs -I .
PIP := PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip --quiet
MINUTES ?= 20
SEED ?= 1
# More than two cores have: most of the time a test of processes waits for one.
WORKERS ?= 7
LIVE ?= tests/live tests/systemd
ARGS ?=
# Else each worker and each process would compile all of it for itself.
export PYTHONDONTWRITEBYTECODE :=

help:  ## list these targets
	@sed -n 's/^\([a-z]*\):.*##/\1 /p' Makefile | while read -r name text; do \
	    printf '  make %-8s %s\n' "$$name" "$$text"; done

run: .make/run  ## start attend in the current directory (ARGS="--as NAME" …)
	@exec $(BIN)/attend run $(ARGS)

test: .make/test  ## run every test but those of the real client (ARGS="-k word", WORKERS=7)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

check: check-format check-lint check-types check-layers check-docs check-rules  ## format, lint, types, layers, documents, rules

format: .make/dev  ## put every file in the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .make/test  ## write the generated parts of the documents anew
	$(COG) -r $(DOCS)

bench: .make/test  ## measure what the promises are about, as ratios in one run
	$(BIN)/python -m benchmarks $(ARGS)

live: .make/test  ## drive the real client and a real systemd (CLAUDE_BIN=… uses yours, LIVE=tests/systemd)
	$(BIN)/python -m pytest $(LIVE) -m "live or systemd" -p no:xdist $(ARGS)

oldgit: .make/test  ## run the tests of git with the oldest release supported (needs apt)
	PATH="$$(sh tests/old_git.sh):$$PATH" $(BIN)/python -m pytest -n 0 $(ARGS) \
	    tests/process/test_git_*.py tests/unit/test_sensor_git*.py

torture: .make/test  ## kill, stop, fill, exhaust and upgrade attend, and kill it at each step (SEED=1)
	$(BIN)/python -m benchmarks.torture --seed $(SEED) $(ARGS)

soak: .make/test  ## run for long under random faults, a canary every second (MINUTES=20 SEED=1)
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES) --seed $(SEED) $(ARGS)

fuzz: .make/fuzz  ## have a fuzzer look for texts that break the parser of percepts (MINUTES=20)
	$(BIN)/python -m benchmarks.fuzz --minutes $(MINUTES) --seed $(SEED) $(ARGS)

clean:  ## remove what was installed and built
	rm -rf .venv .make .live build dist results .coverage \
	    .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

check-format: .make/dev
	$(BIN)/ruff format --check .

check-lint: .make/dev
	$(BIN)/ruff check .

check-types: .make/dev
	$(BIN)/mypy

check-layers: .make/dev
	$(BIN)/lint-imports

check-docs: .make/test
	$(COG) --check $(DOCS)

check-rules: .make/test
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/contract/test_rules.py

.venv/bin/python:
	@.ci/venv

# What attend needs to run; made again when pyproject.toml or the launcher changes.
.make/run: .venv/bin/python pyproject.toml $(wildcard bin/attend)
	@echo "installing attend into .venv" >&2
	@$(PIP) install --editable .
	@mkdir -p .make && touch $@

# What the tests need besides, in one call of pip, as two take longer. Read from pyproject.toml,
# because the pip of a fresh environment may be too old to know dependency groups.
GROUPS := import sys, tomllib; groups = tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]; \
          print(*(each for name in sys.argv[1:] for each in groups[name]), sep="\n")

.make/test: .venv/bin/python pyproject.toml $(wildcard bin/attend)
	@echo "installing attend and what the tests need into .venv" >&2
	@mkdir -p .make
	@$(BIN)/python -c '$(GROUPS)' test > .make/test.txt
	@$(PIP) install --use-pep517 --editable . --requirement .make/test.txt
	@touch .make/run $@

# What only the checks of format, lint, types and layers need.
.make/dev: .make/test
	@echo "installing what the checks need into .venv" >&2
	@$(BIN)/python -c '$(GROUPS)' check > .make/check.txt
	@$(PIP) install --requirement .make/check.txt
	@touch $@

.make/fuzz: .make/test
	@echo "installing the fuzzer into .venv" >&2
	@$(BIN)/python -c '$(GROUPS)' fuzz > .make/fuzz.txt
	@$(PIP) install --requirement .make/fuzz.txt
	@touch $@
