# Two virtual environments: .venv runs everything; .venv-torch adds a CPU build of torch for the tests of its hooks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TORCH_VENV := .venv-torch
# Compiled when it is imported: compiling all of scipy takes longer than the rest of the installation.
INSTALL := install --quiet --disable-pip-version-check --no-compile

.PHONY: demo story test test-rig test-torch lint types clean
.DEFAULT_GOAL := test

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip $(INSTALL) -e '.[dev]'
	touch $@

$(TORCH_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/python -m pip $(INSTALL) torch==2.13.0 numpy -e '.[dev]'
	touch $@

demo: $(VENV)/.installed  ## the main job on the emulated device: a red suite, its triage, the comment
	$(BIN)/python -m kvrace_tests.demo

test: $(VENV)/.installed  ## every test that needs neither torch nor a device
	$(BIN)/python -m pytest -m "not torch"

$(VENV)/.rig: $(VENV)/.installed tests/rig/expressions/package-lock.json
	$(BIN)/python -m pip $(INSTALL) -e '.[rig]'
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-binary :all: --dest $(VENV)/sdists pygithub==2.10.0
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --prefix tests/rig/expressions --no-audit --no-fund --silent
	touch $@

test-rig: $(VENV)/.rig  ## the pull-request side against a fake GitHub: its API, the workflows by act, the linters
	$(BIN)/python -m pytest tests/rig -n 2 --dist loadfile

story: $(VENV)/.rig  ## a pull request from red to green, and all who want in, on this machine; prints every API call
	$(BIN)/python -m tests.rig.story

test-torch: $(TORCH_VENV)/.installed  ## the torch hooks, on a CPU build
	$(TORCH_VENV)/bin/python -m pytest -m torch tests/torch

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

clean:
	rm -rf $(VENV) $(TORCH_VENV) build dist .triage triage.json
