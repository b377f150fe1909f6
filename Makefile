# `make demo` and `make test` do all of their own set-up.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
ARGS   ?=
N      ?= 4
SEED   ?= 1
MINUTES ?= 60

.PHONY: help demo test test-all check format simulate bench fuzz chaos soak lock image-test clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/run.stamp  ## the whole job on this machine: local GitHub, scripted model, one labelled issue
	@$(BIN)/skillbench demo $(ARGS)

test: $(VENV)/dev.stamp tests/npm/node_modules/.stamp tests/npm/claude/node_modules/.stamp  ## every test but the long ones
	@$(BIN)/pytest -n 2 --dist worksteal -m "not slow" $(ARGS)

test-all: $(VENV)/dev.stamp tests/npm/node_modules/.stamp tests/npm/claude/node_modules/.stamp  ## every test, long ones too
	@$(BIN)/pytest -n 2 --dist worksteal $(ARGS)

check: $(VENV)/dev.stamp  ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp  ## let the formatter write
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

chaos: $(VENV)/dev.stamp  ## kill and break everything at random; N= games, SEED= the first one
	@$(BIN)/python -m tests.chaos --games $(N) --seed $(SEED) $(ARGS)

soak: $(VENV)/dev.stamp  ## an hour of steady load, watching memory; MINUTES= for less
	@$(BIN)/python -m tests.chaos.soak --minutes $(MINUTES) $(ARGS)

fuzz: N = 20000
fuzz: $(VENV)/dev.stamp  ## hostile input of every kind at the real readers; N= deliveries, SEED=
	@$(BIN)/python -m tools.fuzz $(N) $(SEED) $(ARGS)

simulate: SETS = 2000
simulate: $(VENV)/dev.stamp  ## intervals, verdicts and the judge against worlds whose truth is known; SETS= a cell, SEED=
	@$(BIN)/python -m tools.simulate --sets $(SETS) --seed $(SEED) $(ARGS)

bench: $(VENV)/dev.stamp  ## speed, as ratios to a peer in the same run
	@$(BIN)/python tools/bench_intake.py
	@$(BIN)/python tools/bench_sandbox.py
	@$(BIN)/python tools/bench_run.py
	@$(BIN)/python tools/bench_planning.py
	@$(BIN)/python tools/bench_scale.py
	@$(BIN)/python tools/bench_claude.py
	@$(BIN)/python tools/bench_datasets.py
	@$(BIN)/python tools/bench_pages.py

lock: $(VENV)/dev.stamp  ## resolve the pinned versions anew
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --extra demo \
	  --no-emit-index-url --no-emit-find-links -o requirements.lock pyproject.toml
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --extra demo --group dev \
	  --no-emit-index-url --no-emit-find-links -o requirements-dev.lock pyproject.toml
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
	  | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-emit-find-links -o requirements-build.lock -

image-test: $(VENV)/dev.stamp  ## the image's steps in a plain Debian root, where no engine is; needs root
	@tools/need debootstrap
	@$(BIN)/python tools/try_image.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "skillbench needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 2; }
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -f $@; echo "This Python cannot make virtual environments; Debian and Ubuntu: apt-get install python3-venv"; exit 2; }

$(VENV)/run.stamp: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing skillbench into $(VENV) …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e . 
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@tools/need redis-server bwrap chromium node npm podman runc catatonit busybox Rscript
	@echo "Installing skillbench and its test tools into $(VENV) …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@ $(VENV)/run.stamp

tests/npm/node_modules/.stamp: tests/npm/package-lock.json
	@npm ci --silent --no-audit --no-fund --prefix tests/npm
	@touch $@

tests/npm/claude/node_modules/.stamp: tests/npm/claude/package-lock.json
	@npm ci --silent --no-audit --no-fund --ignore-scripts --prefix tests/npm/claude
	@touch $@

clean:  ## remove what was built
	rm -rf $(VENV) tests/npm/node_modules tests/npm/claude/node_modules build/screenshots .pytest_cache .mypy_cache .ruff_cache
