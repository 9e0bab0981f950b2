# start: set up, fill the library, run the first study · test: the whole suite · check: lint, types, import rules
# bench: speed against peers · ledger: rerun the studies behind LEDGER.md where their protocol changed
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

.PHONY: start test test-slow check bench ledger clean

start: $(VENV)/start.done
	@$(BIN)/assay read --cards
	@$(BIN)/assay run privacy/rpwithprior
	@echo
	@echo "Next:  . $(BIN)/activate, then"
	@echo "  assay read FILE              read a digest mail or a saved conference page"
	@echo "  assay search WORDS           find papers;  assay show rpwithprior  shows one with its verdicts"
	@echo "  assay ledger                 every claim, reported against measured;  assay methods  what can be run"

$(VENV)/bin/python:
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/start.done: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Assay with the extra 'privacy' ..."
	@$(PIP) --editable '.[privacy]'
	@$(BIN)/assay doctor privacy/rpwithprior --install
	@touch $@

$(VENV)/test.done: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing what the tests need ..."
	@$(PIP) --editable '.[privacy,environments,test]'
	@touch $@

test: $(VENV)/test.done check
	$(BIN)/python -m pytest -n 2 --dist loadfile --cov=assay --cov-report=term -m "not slow"

test-slow: $(VENV)/test.done
	$(BIN)/python -m pytest -m slow

check: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/test.done
	$(BIN)/python benchmarks/all.py

ledger: $(VENV)/test.done
	$(BIN)/assay run privacy/rpwithprior --runs records
	$(BIN)/assay run environments/octax --runs records
	$(BIN)/assay ledger --runs records --write LEDGER.md

clean:
	rm -rf $(VENV) build dist
