# `make train` and `make test` set up everything they need in .venv, on a machine with Python 3.11 or later.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet -c constraints.txt

# On Linux the usual package index has torch with gigabytes of libraries for GPUs. A new .venv gets the small
# build for processors alone with `make train TORCH_INDEX=https://download.pytorch.org/whl/cpu`.
TORCH_INDEX ?=

.PHONY: train serve test test-fast nightly kernels check coverage slow pythons soak test-rllib test-verifiers test-openenv bench results strength puzzles leaderboard baselines texts picture docs links clean

# The main job: learn by self-play, evaluate, show the result. A second call resumes a run that was stopped.
# CONFIG=smoke takes a minute.
CONFIG ?= quick
train: $(VENV)/.for-training
	$(BIN)/wizard train $(CONFIG) $(ARGUMENTS)

# Images for containers often set it, and each of the tests' processes would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

# All tests but the slow ones. Three processes keep two cores busy, since many tests wait. Each has one thread of
# torch, since several would wait for each other at every barrier.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 3 --dist worksteal
test: $(VENV)/.for-development
	$(MAKE) --jobs=2 check kernels
	$(PYTEST)

# The branches that tests reach, which takes longer; and a run without compiling, for compiled code.
coverage: kernels
	$(PYTEST) --cov --cov-report= --cov-fail-under=0
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run --append tests/compiled/test_uncompiled.py >/dev/null
	$(BIN)/python -m coverage report

kernels: $(VENV)/.for-development
	$(BIN)/wizard compile

check: $(VENV)/.for-development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if command -v npx >/dev/null; then (cd table && npx --yes @biomejs/biome@2.6.8 ci wizard_table/web); \
	else echo "npx is not installed: the page's scripts are not linted"; fi

# The rules, environments, agents, configs and messages, in less than two minutes.
test-fast: kernels
	$(PYTEST) -q -m "not slow and not long"

# Tests that take minutes: learning, whole walks through the page, machine code from an empty folder.
slow: $(VENV)/.for-development
	$(BIN)/python -m pytest -m slow

# Everything, in some hours: also many more examples of each property, the other Pythons, and the tests of libraries
# with environments of their own.
nightly: test slow pythons soak test-rllib test-verifiers test-openenv
nightly: export HYPOTHESIS_PROFILE = nightly

# The tests of the core on the other Pythons that are on the path, without OpenSpiel, which is a separate extra.
CORE = $(addprefix tests/,test_engine.py test_game.py test_games.py test_rules.py test_seat_bytes.py compiled envs records render)
pythons:
	for version in 3.12 3.13 3.14; do \
	  python$$version -c "" || { echo "python$$version is not installed"; continue; }; \
	  python$$version -m venv $(VENV)-$$version && \
	  $(VENV)-$$version/bin/python -m pip install --quiet -c constraints.txt -e ".[test]" && \
	  $(VENV)-$$version/bin/python -m pytest -q -n 2 -m "not slow and not long" \
	    --ignore tests/envs/test_openspiel_game.py $(CORE) || exit 1; \
	done

# Kills, damage, full disks and load for half an hour, with a new seed each time; see docs/trust.md.
soak: $(VENV)/.for-development
	WIZARD_SOAK=1 $(BIN)/python -m pytest -m "slow or not slow" tests/reliability \
		$(addprefix table/tests/,test_process.py web/test_databases.py web/test_messages.py)

# RLlib needs another gymnasium, and so a separate environment.
test-rllib: $(VENV)-rllib/.for-tests
	$(VENV)-rllib/bin/python -m pytest tests/test_rllib.py

# These two need different versions of mcp, and each brings a hundred packages.
test-verifiers: $(VENV)-verifiers/.for-tests
	$(VENV)-verifiers/bin/python -m pytest tests/llm/test_verifiers.py

test-openenv: $(VENV)-openenv/.for-tests
	$(VENV)-openenv/bin/python -m pytest tests/llm/test_openenv.py

# The table in the browser, for people and agents.
serve: $(VENV)/.for-table
	$(BIN)/wizard serve $(ARGUMENTS)

bench: $(VENV)/.for-development
	$(BIN)/wizard bench

# Measures the champion and the adaptive player, and rewrites docs/results.md.
results: $(VENV)/.for-development
	$(BIN)/python -m tools.results $(ARGUMENTS)

# Measures the agents offered in the browser's lobby.
strength: $(VENV)/.for-development
	$(BIN)/python -m table.tools.agent_strength $(ARGUMENTS)

# Finds the puzzles of the drills, as far as the file lacks them.
puzzles: $(VENV)/.for-development
	$(BIN)/python -m table.tools.puzzles $(ARGUMENTS)

# Updates the catalogues of translated texts.
texts: $(VENV)/.for-development
	$(BIN)/python -m table.tools.texts

# Trains the runs of the leaderboard, then measures the score card's scale and all entries again.
leaderboard: $(VENV)/.for-development
	$(BIN)/python -m tools.leaderboard $(ARGUMENTS)

# Trains what docs/baselines.md lacks, one training after another, and rewrites that page. It takes days of one core.
# ARGUMENTS="--only ppo --seeds 1" trains less. RLlib needs `make .venv-rllib/.for-tests`.
baselines: $(VENV)/.for-development
	$(BIN)/python -m tools.baselines $(ARGUMENTS)

# Retakes the pictures of the browser table, which needs Chromium.
picture: $(VENV)/.for-development
	$(BIN)/python -m table.tools.screenshot

# Rewrites the generated tables of the documentation, and builds the site into site/.
docs: $(VENV)/.for-development
	$(BIN)/python -m tools.doc_tables
	$(BIN)/python -m sphinx -W --keep-going docs site

# Follows every external link of the documentation; needs the network. `make docs` checks the internal links.
links: $(VENV)/.for-development
	$(BIN)/python -m sphinx -b linkcheck -q docs build/links

$(VENV)/.for-training: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing 1.5 GB into $(VENV), which takes a minute or two"
	$(INSTALL) -e ".[train]"
	touch $@

$(VENV)/.for-table: pyproject.toml table/pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e . -e table
	touch $@

$(VENV)/.for-development: pyproject.toml table/pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing 2.7 GB into $(VENV), which takes two minutes or three"
	$(INSTALL) -e ".[dev]" -e table
	touch $@ $(VENV)/.for-training $(VENV)/.for-table

rllib_PACKAGES = -e ".[train]" "ray[rllib]==2.60.*"
verifiers_PACKAGES = -e ".[verifiers]"
openenv_PACKAGES = -e ".[openenv]"
$(VENV)-%/.for-tests: pyproject.toml constraints.txt | $(VENV)-%/bin/python
	$(VENV)-$*/bin/python -m pip install --quiet -c constraints.txt $($*_PACKAGES) pytest
	touch $@

$(VENV)/bin/python $(foreach library,rllib verifiers openenv,$(VENV)-$(library)/bin/python):
	$(PYTHON) -m venv $(@D:/bin=)
	$(if $(TORCH_INDEX),$@ -m pip install --quiet -c constraints.txt torch --index-url $(TORCH_INDEX))

clean:
	rm -rf $(VENV) $(VENV)-* build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
