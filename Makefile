# `make train` and `make test` set up all they need in .venv, on a machine with Python 3.11 or later.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet -c constraints.txt

.PHONY: train test check slow test-rllib bench results strength picture docs clean

# The main job: learn by self-play, evaluate, show the result. CONFIG=smoke takes a minute.
CONFIG ?= quick
train: $(VENV)/.for-training
	$(BIN)/wizard train $(CONFIG) $(ARGUMENTS)

test: check
	$(BIN)/python -m pytest

check: $(VENV)/.for-development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Learning and soak tests that take minutes.
slow: $(VENV)/.for-development
	$(BIN)/python -m pytest -m slow

# RLlib needs a gymnasium of its own, and so an environment of its own.
test-rllib: $(VENV)-rllib/.for-rllib
	$(VENV)-rllib/bin/python -m pytest tests/train/rllib

bench: $(VENV)/.for-development
	$(BIN)/wizard bench

# Measures the champion and writes docs/results.md anew.
results: $(VENV)/.for-development
	$(BIN)/python tools/champion_results.py $(ARGUMENTS)

# Measures the agents of the browser table, for its lobby.
strength: $(VENV)/.for-development
	$(BIN)/python tools/agent_strength.py $(ARGUMENTS)

# Takes the picture of the browser table anew; needs Chromium.
picture: $(VENV)/.for-development
	$(BIN)/python tools/screenshot.py

# Writes the generated tables of docs/environment.md anew, and builds the site into site/.
docs: $(VENV)/.for-development
	$(BIN)/python tools/doc_tables.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

$(VENV)/.for-training: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e ".[train]"
	touch $@

$(VENV)/.for-development: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e ".[dev]"
	touch $@ $(VENV)/.for-training

$(VENV)-rllib/.for-rllib: pyproject.toml constraints.txt | $(VENV)-rllib/bin/python
	$(VENV)-rllib/bin/python -m pip install --quiet -c constraints.txt -e ".[rllib]" pytest
	touch $@

$(VENV)/bin/python $(VENV)-rllib/bin/python:
	$(PYTHON) -m venv $(@D:/bin=)

clean:
	rm -rf $(VENV) $(VENV)-rllib build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
