# `make demo` sets up what is needed and checks a sample and this host; `make test` sets up and runs every check and every test.

PYTHON ?= python3
BIN := .venv/bin
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: setup demo test lint format unit lab bench portable fuzz

demo: setup
	$(BIN)/numaaudit demo
	$(BIN)/numaaudit check

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "numaaudit needs Python 3.10 or newer: make PYTHON=...")'
	$(PYTHON) -c 'import ensurepip, venv' || { $(AS_ROOT) apt-get update && $(AS_ROOT) apt-get install --yes python3-venv; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

test: lint unit lab

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: setup
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

unit: setup
	$(AS_ROOT) sh tests/setup.sh
	$(BIN)/python -m pytest --quiet --numprocesses 2

# Boots real kernels with several NUMA nodes under QEMU; takes minutes.
lab: setup
	$(AS_ROOT) sh tests/lab/setup.sh
	$(BIN)/python -m pytest --quiet tests/lab

# Measures the budgets side by side with other tools; takes minutes and writes tests/bench/RESULTS.md.
bench: setup
	$(AS_ROOT) sh tests/bench/setup.sh
	$(BIN)/python tests/bench/run.py

# One file that collects with any Python from 3.8 on and nothing else: build/numaaudit-collect.pyz.
portable:
	mkdir -p build
	rm -f build/numaaudit-collect.pyz
	$(PYTHON) -m numaaudit.collect --emit-portable build/numaaudit-collect.pyz

# Coverage-guided fuzzing of the parsers; FUZZ_SECONDS=600 for longer.
FUZZ_SECONDS ?= 60
fuzz: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	mkdir -p build/fuzz
	$(BIN)/python tests/fuzz/fuzz_parsers.py -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build/fuzz/ build/fuzz
