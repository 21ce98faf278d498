# Two commands do everything on a machine that has Python >= 3.11 with venv:
#   make demo    environment, install, and the main job watched and judged
#   make test    environment with test tools and peers, then every check and the whole suite but its long part
# `make help` lists the rest. Every download is pinned by hash in requirements/.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check --no-input
PYTEST = $(BIN)/python -m pytest --not-run-fails

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env demo test test-full lint format docs peers peer-mcp1 peer-fastmcp peer-node peer-npm peer-npm-versions peer-npm-floating peer-npm-conformance bench lock build clean

help:
	@echo "make demo       set up and run the demo: real client, real servers, true verdicts"
	@echo "make test       set up and run every check and test but the long ones"
	@echo "make test-full  run the long ones: whole conformance, peer matrix, soak, damaged histories"
	@echo "make env        only set up .venv with all tools"
	@echo "make peers      only set up other SDK generations and npm servers, each in its own place"
	@echo "make lint       ruff, mypy, import contracts"
	@echo "make format     let ruff rewrite what it can"
	@echo "make docs       write the generated pages in docs/ anew"
	@echo "make lock       renew the lock files in requirements/ (network; review the difference)"
	@echo "make bench      measure all budgets side by side; results in bench/results (wants a quiet machine, about 15 minutes)"
	@echo "make build      wheel and source archive in dist/"
	@echo "make clean      remove everything that make made"

# --- environments ----------------------------------------------------------------------------------------------------

# A stamp stands for "this lock file is installed": a second run costs nothing.
$(VENV)/stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "witnessmark needs Python 3.11 or newer, %s is %s; say make PYTHON=/path/to/python3.11" % (sys.executable, sys.version.split()[0]))'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The build back end comes from the lock file too, so nothing unpinned is fetched to build the editable install.
define install_lock
$(BIN)/python $(PIP_INSTALL) --require-hashes -r $<
$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .
@touch $@
endef

$(VENV)/stamp-demo: requirements/demo.txt pyproject.toml | $(VENV)/stamp-venv
	$(install_lock)

$(VENV)/stamp-test: requirements/test.txt pyproject.toml | $(VENV)/stamp-venv
	$(install_lock)

env: $(VENV)/stamp-test

# --- peers -----------------------------------------------------------------------------------------------------------

peers: peer-mcp1 peer-fastmcp peer-node peer-npm peer-npm-versions peer-npm-floating peer-npm-conformance

.venv-%/stamp: requirements/peer-%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python $(PIP_INSTALL) --require-hashes -r $<
	@touch $@

peer-mcp1: .venv-mcp1/stamp

peer-fastmcp: .venv-fastmcp/stamp

# Node.js 24 from a wheel: the conformance suite needs 22 or newer.
peer-node: .venv-node/stamp

# npm: servers and SDKs of today. npm-versions: servers at several versions. npm-floating: one of these versions again, its
# archive the same to the byte, with other dependencies.
peer-npm peer-npm-versions peer-npm-floating peer-npm-conformance: peer-%: .peers/%/stamp

.peers/%/stamp: requirements/%/package.json requirements/%/package-lock.json
	@command -v npm >/dev/null || { echo "NOT RUN: $* peers (npm is not on PATH; install Node.js 20 or newer)" >&2; exit 1; }
	mkdir -p .peers/$*
	cp $^ .peers/$*/
	cd .peers/$* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# --- the work --------------------------------------------------------------------------------------------------------

demo: $(VENV)/stamp-demo
	$(BIN)/witnessmark demo

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A peer that cannot be set up does not stop the rest: all that can run runs, then the command fails and says what did not.
test: env
	@peers=ok; $(MAKE) --no-print-directory -k peers || peers=missing; \
	$(MAKE) --no-print-directory lint && $(PYTEST) -m "not full" || exit 1; \
	test $$peers = ok || { echo "NOT RUN: some peers could not be set up, see above" >&2; exit 1; }

# Programs first (tests/full/run_*.py, each fails by its exit code), then the tests marked `full`, so that pytest has the last word.
# 2,400 s a test: a soak is long by design; `make test` keeps the 120 s of pyproject.toml.
test-full: env
	@peers=ok; $(MAKE) --no-print-directory -k peers || peers=missing; \
	for program in tests/full/run_*.py; do \
	  test ! -e "$$program" || { echo "$$program"; PYTHONPATH=tests $(BIN)/python "$$program" || exit 1; }; \
	done; \
	$(PYTEST) -m full -o timeout=2400 || exit 1; \
	test $$peers = ok || { echo "NOT RUN: some peers could not be set up, see above" >&2; exit 1; }

format: env
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# A generated page is written by the module that has its table: render/X_page.py writes docs/X.md.
docs: env
	@for page in src/witnessmark/render/*_page.py; do \
	  name=$$(basename $$page _page.py); echo "docs/$$name.md"; \
	  $(BIN)/python -m witnessmark.render.$${name}_page > docs/$$name.md.new && mv docs/$$name.md.new docs/$$name.md || exit 1; \
	done
	$(BIN)/python -m witnessmark.render.configuration_schema > docs/configuration.schema.json
	$(BIN)/python -m witnessmark.adapters.rule_pages docs/rules

# Every bench in one run, beside the FastMCP proxy; the date names the results. NAME=... for another name.
bench: env peer-fastmcp
	@met=0; $(BIN)/python -m bench all --out "$(or $(NAME),$(shell date -u +%Y-%m-%d))" || met=$$?; \
	$(BIN)/python -m bench page --write >/dev/null && exit $$met

# --- releases --------------------------------------------------------------------------------------------------------

# uv resolves for every platform at once; no index, no path of a machine reaches a lock file.
COMPILE = UV_CUSTOM_COMPILE_COMMAND="make lock" .venv-lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-emit-index-url --no-emit-find-links
lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python $(PIP_INSTALL) uv
	$(COMPILE) --extra demo --group build --group test -o requirements/test.txt pyproject.toml >/dev/null
	$(COMPILE) --extra demo --group build -c requirements/test.txt -o requirements/demo.txt pyproject.toml >/dev/null
	$(COMPILE) --group peer-mcp1 -o requirements/peer-mcp1.txt >/dev/null
	$(COMPILE) --group peer-fastmcp -o requirements/peer-fastmcp.txt >/dev/null
	$(COMPILE) --group peer-node -o requirements/peer-node.txt >/dev/null
	for folder in requirements/npm*; do \
	  (cd "$$folder" && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund) || exit 1; \
	done

build: env
	rm -rf dist
	$(BIN)/hatchling build

clean:
	rm -rf .venv .venv-* .peers dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
