# Every command a person or CI types. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PY := .venv/bin/python
UV := .venv/bin/uv
UV_VERSION := 0.13.8
MVN := mvn -q -B -U --no-transfer-progress
CLUSTER ?= node
REGISTRY ?=
# The environment's own Python is used; none is fetched.
export UV_PYTHON_DOWNLOADS := never
export PYTHONDONTWRITEBYTECODE := 1
export TESTCONTAINERS_RYUK_DISABLED := true

.PHONY: help
help: ## Show what can be made
	@awk 'BEGIN {FS = ":.*## "} /^## / {printf "\n%s\n", substr($$0, 4)} /^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## Use
.PHONY: demo demo-down
demo: prerequisites-demo setup ## Stand the whole platform up and show what it sees (CLUSTER=current REGISTRY=... for your own cluster)
	@$(PY) -m kwitness.demo up --cluster $(CLUSTER) $(if $(REGISTRY),--registry $(REGISTRY))

demo-down: .venv/.done ## Remove everything that `make demo` made; caches stay
	@$(PY) -m kwitness.demo down --cluster $(CLUSTER)

## Develop
.PHONY: setup hooks images demo-images generate verify lint lock
# What a target needs and does not install itself is named before anything starts.
prerequisites-%:
	@PYTHONPATH=devtools/src python3 -m kwitness.devtools.prerequisites $*

setup: prerequisites-setup .venv/.done ## Check what is needed, make the Python environment

.venv/.done: locks/dev.txt pyproject.toml
	@echo "python environment: .venv, from locks/dev.txt"
	@test -x .venv/bin/python || python3 -m venv .venv
	@test -x $(UV) || .venv/bin/python -m pip --version > /dev/null 2>&1 || .venv/bin/python -m ensurepip > /dev/null
	@test -x $(UV) || .venv/bin/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION)
	@VIRTUAL_ENV=.venv $(UV) pip sync -q --require-hashes locks/dev.txt
	@VIRTUAL_ENV=.venv $(UV) pip install -q --no-deps --no-build-isolation -e .
	@touch $@

hooks: .venv/.done ## Check each commit of this checkout before it is made (pre-commit)
	@.venv/bin/pre-commit install

images: prerequisites-images setup ## Build the container images that are shipped (with REGISTRY=... push them and write images.json, Helm values that name them)
	@$(PY) -m kwitness.images $(if $(REGISTRY),--push $(REGISTRY) --values images.json)

demo-images: prerequisites-demo-images setup ## Build those and the images of the demo
	@$(PY) -m kwitness.demo.images

generate: prerequisites-generate setup ## Write CRDs, schemas, constants and reference pages from contracts/
	@$(PY) -m kwitness.contracts.generate
	@$(PY) -m kwitness.devtools.chart_readme
	@$(PY) -m kwitness.devtools.reference

verify: prerequisites-verify setup ## Fail when a generated file is stale
	@$(PY) -m kwitness.contracts.generate --check
	@$(PY) -m kwitness.devtools.chart_readme --check
	@$(PY) -m kwitness.devtools.reference --check

lint: setup ## ruff, mypy, import-linter
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

lock: setup ## Resolve again what pyproject.toml asks for (uv), into locks/
	@$(UV) lock -q
	@for extra in operator collector spark; do \
	  $(UV) export -q --frozen --no-emit-project --no-default-groups --extra $$extra --no-header --no-annotate -o locks/$$extra.txt; done
	@$(UV) export -q --frozen --no-emit-project --all-extras --all-groups --no-header --no-annotate -o locks/dev.txt

## Test
.PHONY: test check-capacity test-java test-fast test-e2e
test: prerequisites-test setup check-capacity lint verify test-java demo-images ## Every test there is, the end-to-end suite on a real node included
	@$(PY) -m kwitness.devtools.suite

check-capacity:
	@$(PY) -m kwitness.e2e.capacity

test-java: prerequisites-test-java setup ## The broker plugin's own tests
	@$(MVN) -f services/broker-plugin/pom.xml verify

test-fast: prerequisites-test-fast setup ## What needs neither a broker nor a node
	@$(PY) -m kwitness.devtools.suite unit

test-e2e: prerequisites-test-e2e setup ## The end-to-end suite alone
	@$(PY) -m pytest tests/e2e

## Measure
.PHONY: bench
bench: prerequisites-bench setup ## Ratios against real peers, into docs/benchmarks.md; takes about 40 minutes
	@$(PY) -m kwitness.bench

## Clean
.PHONY: clean-cache
clean-cache: .venv/.done ## Remove what is kept to be quick the next time: downloads, builds, images
	@$(PY) -m kwitness.devtools.clean
