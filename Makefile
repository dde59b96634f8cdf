# The commands of this project. `make demo` and `make test` set up everything they need.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin

# Bytecode makes every process of this project start several times faster.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup demo unit test nightly docs reliability soak team fuzz mutants packages lint size format bench bench-peers client clients page pictures clean

help:
	@echo "make demo     two agent sessions share a memory, through real shims and a real daemon"
	@echo "make unit     the unit tests: the loop of every change, about a minute"
	@echo "make test     unit and system tests: everything but the ones with the real Claude Code"
	@echo "make nightly  the same with five times the examples of generated tests, new ones, and each store on FTS4, too"
	@echo "make docs     the documentation as a site, with its generated pages"
	@echo "make reliability kills and storms: what must never lose or double anything"
	@echo "make soak     the same with the catalogue's large numbers, an hour or more"
	@echo "make fuzz     bytes that look for new ways through what reads them (FUZZ_S seconds each)"
	@echo "make mutants changes of single lines, and how many of them the tests notice, by room"
	@echo "make team     a team's tests against another PostgreSQL (PROGRAMS=/usr/lib/postgresql/15/bin)"
	@echo "make packages the wheel as users install it, and two versions side by side"
	@echo "make lint     ruff, pyright (needs Node.js), the import contracts, the links of the documentation"
	@echo "make size     lines of code and words of docstrings by room, and those of the core"
	@echo "make format   let ruff rewrite what it can"
	@echo "make bench    print the benchmark tables"
	@echo "make bench-peers the same work for palimp and seven other programs, which it installs; half an hour"
	@echo "make client   the real Claude Code and the MCP Inspector against palimp (installs them with npm)"
	@echo "make clients  every agent's real program against palimp, or those of CLIENTS (installs them with npm)"
	@echo "make page     the page in a real browser, if Chromium is here"
	@echo "make pictures its pictures in the documentation"

setup: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("palimp needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --constraint constraints.txt --group dev --editable .
	@touch $@

demo: setup
	@$(BIN)/python demo/two_sessions.py

# Generated tests have a tenth of their examples here, and stores are on FTS5 alone; `make test` has all. Few of these tests wait for another
# process, so that one worker for each core is enough: each collects all tests, which takes it some seconds.
unit: setup
	@PALIMP_LANE=quick $(BIN)/pytest tests/unit -n auto

test: setup
	@$(BIN)/pytest

# What nobody waits for: generated tests have many examples, new ones each time, and each test of a store runs on both engines.
nightly: setup
	@PALIMP_LANE=nightly $(BIN)/pytest

reliability: setup
	@$(BIN)/pytest tests/reliability

PROGRAMS ?= /usr/lib/postgresql/15/bin

team: setup
	PALIMP_TEST_POSTGRES=$(PROGRAMS) $(BIN)/pytest -n 2 tests/unit/daemon/features/team tests/system/test_team.py

# An hour or more: the whole catalogue with its large numbers, one table at the end.
soak: setup
	@PALIMP_LANE=soak $(BIN)/pytest tests/reliability tests/system/test_team_kills.py \
		tests/unit/daemon/features/team/test_team_model.py -n 3 -o faulthandler_timeout=0

# FUZZ_S seconds for each target; atheris is installed for it, and for nothing else.
FUZZ_S ?= 60
fuzz: setup
	@$(BIN)/pip install --quiet --constraint constraints.txt "atheris>=3"
	@$(BIN)/python tests/fuzz/fuzz.py $(FUZZ_S)

mutants: setup
	@$(BIN)/pip install --quiet "mutmut==3.8.1"
	@$(BIN)/python tools/mutants.py

packages: setup
	@$(BIN)/python tests/system/packages.py

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python docs/check_words.py
	@$(BIN)/python tools/wording.py
	@$(BIN)/lint-imports
	@$(BIN)/pyright --pythonpath $(BIN)/python
	@$(BIN)/zensical build --strict --clean

# The documentation as a site, in .cache/site.
docs: setup
	@$(BIN)/python docs/reference.py
	@$(BIN)/zensical build --strict --clean

size: setup
	@$(BIN)/python tools/size.py

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: setup
	@$(BIN)/python benchmarks/start.py
	@$(BIN)/python benchmarks/restart.py
	@$(BIN)/python benchmarks/throughput.py
	@$(BIN)/python benchmarks/scale.py
	@$(BIN)/python benchmarks/documents.py
	@$(BIN)/python benchmarks/round_trip.py

# From PyPI and npm (needs Node.js) into .cache/peers; prints one markdown table.
bench-peers: setup
	@$(BIN)/python benchmarks/peers/compare.py

client: setup
	@bash tests/system/real_client.sh

# CLIENTS: names as in `palimp install --client`, and `across`: two of them in one project. All take some minutes, and
# more than a gigabyte in .cache/clients.
CLIENTS ?=
clients: setup
	@bash tests/clients/clients.sh $(CLIENTS)

page: setup
	@bash tests/page/page.sh

# Those of docs/how-to/look-in-the-browser.md.
pictures: setup
	@PALIMP_PICTURES=docs/images bash tests/page/page.sh -k pictures

clean:
	rm -rf $(VENV) .cache .pytest_cache .ruff_cache .hypothesis dist
