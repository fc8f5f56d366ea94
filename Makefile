# Everything a developer or a user of the source tree does, by name. `make` lists it.
#
# Every target sets up what it needs: a virtual environment in .venv from the locked
# requirements, and the engine built by cargo. Nothing is installed outside the tree,
# except brokers for the tests, and those only where it can be done without a question.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

VENV := .venv
BIN := $(VENV)/bin
# rustup installs for one user; Debian keeps daemons in sbin. Neither is on everybody's path.
export PATH := $(PATH):$(HOME)/.cargo/bin:/usr/sbin:/usr/local/sbin

# Options for pytest: make test ARGS="-k mosquitto -x"
ARGS ?=
# Processes that share the tests, three a core: most tests wait for programs most of their time.
# Every worker has brokers, ports and folders of its own; who is done takes tests from the others.
WORKERS ?= $(shell echo $$((3 * $$(getconf _NPROCESSORS_ONLN))))
# Every process would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
PARALLEL = --numprocesses $(WORKERS) --dist worksteal

ENGINE_SOURCES := $(shell find engine -path engine/target -prune -o -type f \
	\( -name '*.rs' -o -name 'Cargo.*' -o -name '*.py' -o -name '*.bin' \) -print)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---------------------------------------------------------------- set-up

.PHONY: setup
setup: $(VENV)/.tools ## Make the virtual environment and build the engine (others call it)

$(VENV)/.requirements: requirements/use.txt
	@for python in $${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "Setting up $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv $(VENV) && exit 0; \
	    echo "$$python cannot make a virtual environment. On Debian: apt-get install python3-venv" >&2; \
	    exit 1; \
	  fi; \
	done; \
	echo "ataxxd needs Python 3.11 or newer, and none was found. Install one, or name it: make PYTHON=/path/to/python3" >&2; \
	exit 1
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# An editable install: Python sources are used in place, so only the engine (and the
# project's metadata) make it run again. cargo rebuilds what has changed.
$(VENV)/.package: $(VENV)/.requirements pyproject.toml $(ENGINE_SOURCES) \
		$(if $(wildcard ataxxd/_engine*.so),,engine-missing)
	@command -v cargo >/dev/null || { \
	  echo "The engine is written in Rust, and cargo was not found. Install Rust 1.85 or newer: https://rustup.rs" >&2; \
	  exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

# What tests, checks and benchmarks need besides: half a gigabyte that no user has to wait for.
$(VENV)/.tools: requirements/dev.txt $(VENV)/.requirements | $(VENV)/.package
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.PHONY: engine-missing
engine-missing:

# $(call debian,PROGRAMS,WHAT IS SKIPPED,OTHER PACKAGES,MORE WORDS): by program, because packages
# have other names elsewhere.
define debian
@missing=; \
for program in $(1); do \
  command -v $$program >/dev/null || missing="$$missing $$program"; \
done; \
[ -n "$$missing" ] || exit 0; \
root=; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
if command -v apt-get >/dev/null && { [ -z "$$root" ] || sudo -n true 2>/dev/null; }; then \
  echo "Installing for the tests:$$missing$(4)"; \
  $$root apt-get update -qq && \
  DEBIAN_FRONTEND=noninteractive $$root apt-get install -qq -y --no-install-recommends $$missing $(3) \
    >/dev/null && exit 0; \
fi; \
echo "Not installed:$$missing. The tests $(2) will be skipped." >&2; \
echo "To run them on Debian: apt-get install$$missing" >&2; \
[ "$${CI:-}" != true ] || { echo "CI runs every test, so this is an error here." >&2; exit 1; }
endef

# RabbitMQ's own script is in PATH on every system, though the tests use the one behind it.
.PHONY: brokers
brokers: ## Install the brokers for the tests, where that needs no password
	$(call debian,mosquitto nats-server rabbitmq-server,that need one of them,, (Debian starts them as services; the tests use their own))

.PHONY: browser
browser: ## Install Chromium and Firefox for the tests of the page, where that needs no password
	$(call debian,chromium,of the page,fonts-dejavu-core)
	$(call debian,firefox-esr,of the page in Firefox,)

.PHONY: terminal
terminal: ## Install tmux for a test of the terminal UI, where that needs no password
	$(call debian,tmux,that need it)

.PHONY: services
services: ## Install systemd's tools and lintian for the tests of what is installed, where that needs no password
	$(call debian,systemd lintian,of the systemd units and the Debian package,)

# The node for browsers: the engine's rules in WebAssembly, and TypeScript. Node.js builds and tests
# it; nobody needs that to play.
PEER := clients/browser
PEER_CARGO := cargo build --quiet --locked --target wasm32-unknown-unknown --manifest-path engine/Cargo.toml
PEER_RULES := $(PEER_CARGO) --profile web --package ataxxd-web
# What has no wide registers takes twice as long, and every browser has had them since 2023.
PEER_SEARCH := RUSTFLAGS=-Ctarget-feature=+simd128 $(PEER_CARGO) --profile websearch --package ataxxd-websearch \
	--examples --target-dir engine/target/websearch
PEER_GAMES := ataxx checkers loa reversi

$(PEER)/node_modules/.package-lock.json: $(PEER)/package-lock.json
	cd $(PEER) && npm ci --silent --no-audit --no-fund
	@touch $@

.PHONY: peer
peer: ## Build the browser's node and its page, clients/browser/build/page, where there is Node.js 20 or newer
	@if node -e 'process.exit(Number(process.versions.node.split(".")[0] < 20))' 2>/dev/null && command -v npm >/dev/null; then \
	  $(MAKE) --no-print-directory peer-build; \
	else \
	  echo "Not built: the browser's node, which needs Node.js 20 or newer and npm. Its tests will be skipped." >&2; \
	  [ "$${CI:-}" != true ] || { echo "CI runs every test, so this is an error here." >&2; exit 1; }; \
	fi

# For any static host: a folder that knows no address but those in its links.
.PHONY: page
page: peer-build ## Build the page that is a node for browsers, clients/browser/build/page, for any web server

.PHONY: peer-build
peer-build: $(PEER)/node_modules/.package-lock.json
	@command -v rustup >/dev/null && rustup --quiet target add wasm32-unknown-unknown || true
	@if [ -d "$$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then \
	  $(PEER_RULES) && $(PEER_SEARCH); \
	else \
	  echo "The library of Rust for WebAssembly cannot be had from rustup; building it with Debian's compiler."; \
	  root=; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	  DEBIAN_FRONTEND=noninteractive $$root apt-get install -qq -y --no-install-recommends \
	    rustc-web cargo-web rust-web-src lld-19 >/dev/null; \
	  export PATH=/usr/bin:$$PATH RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19; \
	  $(PEER_RULES) -Z build-std=std,panic_abort && $(PEER_SEARCH) -Z build-std=std,panic_abort; \
	fi
	cd $(PEER) && npx tsc --build
	cp engine/target/wasm32-unknown-unknown/web/ataxxd_web.wasm $(PEER)/build/engine.wasm
	@for game in $(PEER_GAMES); do \
	  cp engine/target/websearch/wasm32-unknown-unknown/websearch/examples/$$game.wasm \
	    $(PEER)/build/search-$$game.wasm; \
	done
	cd $(PEER) && node build.mjs

# ---------------------------------------------------------------- use

.PHONY: demo
demo: $(VENV)/.package ## See a whole game: two nodes play, a third watches, all records are verified
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash docs/tutorial/demo.sh

# ---------------------------------------------------------------- test

# PART=2/4 adds the second quarter of the other tests; tests/tiers.py says which are in the gate.
.PHONY: test
test: setup brokers browser terminal services peer ## Run the gate: what every change must pass, in minutes
	$(BIN)/python -m pytest $(PARALLEL) --gate $(if $(PART),--part $(PART)) $(ARGS)

.PHONY: test-all
test-all: setup brokers browser terminal services peer ## Run every test, on all cores or WORKERS=N
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS)

.PHONY: unit
unit: setup ## Run the fast tests: no broker, no processes
	$(BIN)/python -m pytest $(PARALLEL) tests/unit tests/property $(ARGS)

# The one file of tests left out runs the same scripts, for `make test`.
.PHONY: acceptance
acceptance: setup brokers browser terminal services peer ## Run the programs as their users do: protocol, brokers, whole games, documents
	$(BIN)/python -m ataxxd accept --show=3 tests/data/acceptance
	$(BIN)/python -m pytest $(PARALLEL) tests/conformance tests/interop tests/e2e tests/docs \
	  tests/web --ignore tests/e2e/test_acceptance.py $(ARGS)

# GAMES=N and SEED=S choose which; a game that breaks a law says how to see it again.
.PHONY: chaos
chaos: GAMES ?= 10000
chaos: setup ## Play 10,000 simulated games through every fault there is
	$(BIN)/python -m tests.chaos --games $(GAMES) $(if $(SEED),--seed $(SEED))

# Options by ARGS: game, bound, clock, kills, lies and more; see python -m tests.explore --help.
EXPLORE = $(BIN)/python -m tests.explore
LIARS = $(EXPLORE) --no-resigning --lies 1
.PHONY: explore
explore: setup ## Visit every state of small games between honest players, then with a liar
	$(EXPLORE) $(or $(ARGS),--bound 4 --asks --game ataxx)
	$(if $(ARGS),,$(EXPLORE) --bound 6)
	$(if $(ARGS),,$(EXPLORE) --bound 3 --ticks 2 --kills 0 --connections 1 --no-resigning --game ataxx)
	$(if $(ARGS),,$(EXPLORE) --bound 3 --ticks 2 --clock --kills 1 --connections 0 --no-resigning --game ataxx)
	$(if $(ARGS),,$(EXPLORE) --bound 3 --ticks 2 --no-resigning --game ataxx --states 400000)
	$(if $(ARGS),,$(LIARS) --bound 6 --alone --game checkers --game loa --game reversi)
	$(if $(ARGS),,$(LIARS) --bound 3 --alone --ticks 2 --kills 1 --connections 1 --game reversi --states 20000)
	$(if $(ARGS),,$(LIARS) --bound 3 --alone --ticks 2 --clock --kills 1 --connections 1 --game reversi --states 20000)
	$(if $(ARGS),,$(LIARS) --bound 3 --game ataxx)
	$(if $(ARGS),,$(LIARS) --bound 2 --ticks 2 --kills 0 --connections 0 --game reversi)
	$(if $(ARGS),,$(LIARS) --bound 2 --ticks 2 --clock --kills 0 --connections 0 --game reversi)

# GAMES=N and SEED=S as for chaos; MESSAGES=N makes and mutates messages instead of playing games.
.PHONY: differential
differential: GAMES ?= 10000
differential: setup peer ## Play 10,000 games between the two implementations over a bad network
	$(BIN)/python -m tests.differential $(if $(MESSAGES),--messages $(MESSAGES),--games $(GAMES)) \
	  $(if $(SEED),--seed $(SEED))

.PHONY: chaos-real
chaos-real: GAMES ?= 200
chaos-real: setup brokers ## Play 200 games of real processes while network, nodes and broker fail
	$(BIN)/python -m tests.chaos_real --games $(GAMES) $(if $(SEED),--seed $(SEED)) $(ARGS)

.PHONY: cluster
cluster: GAMES ?= 200
cluster: setup brokers ## Play 200 games at a cluster of three NATS servers whose leader is killed in mid-game
	$(BIN)/python -m tests.cluster_games --games $(GAMES)

.PHONY: match-machines
match-machines: GAMES ?= 400
match-machines: setup brokers ## Play a match over three machines, two workers and the server of which are killed
	$(BIN)/python -m tests.match_machines --games $(GAMES)

.PHONY: fifth-game
fifth-game: setup brokers browser ## Add Clobber to a copy of this tree, file by file, and play it there in every way
	$(BIN)/python -m tests.fifth_game

.PHONY: pictures
pictures: setup brokers browser peer ## Take the pictures of the documents anew, of the real program
	$(BIN)/python -m tests.pictures.terminal docs/pictures --kept
	$(BIN)/python -m tests.pictures.page docs/pictures

.PHONY: bench
bench: setup brokers ## Measure ataxxd beside what others offer, in one run
	@for file in tests/bench/bench_*.py; do \
	  echo; echo "== $$(basename "$$file" .py | sed 's/^bench_//')"; \
	  $(BIN)/python -m "tests.bench.$$(basename "$$file" .py)"; \
	done

# Hostile input for FUZZ seconds: half of them libFuzzer on the engine, half hypothesis on the
# rest. What breaks a law is printed and kept, and comes first the next time. The flags are
# what libFuzzer needs to see its coverage; they work on stable Rust.
FUZZ ?= 120
FUZZ_TARGETS := positions moves games
FUZZ_FILES := $(addprefix tests/property/test_,hostile_files.py codec.py session_network.py \
	session_judgement.py rules_all_games.py)
SANCOV := -Cpasses=sancov-module $(addprefix -Cllvm-args=-sanitizer-coverage-,level=4 \
	inline-8bit-counters pc-table trace-compares)

.PHONY: fuzz
fuzz: setup ## Look for input that breaks a law, for FUZZ=120 seconds
	@host=$$(rustc -vV | sed -n 's/^host: //p'); place=engine/target/fuzz; \
	if command -v c++ >/dev/null; then \
	  RUSTFLAGS="$(SANCOV)" cargo build --quiet --locked --release --manifest-path engine/Cargo.toml \
	    --package ataxxd-fuzz --features libfuzzer --target "$$host" --target-dir "$$place"; \
	  for target in $(FUZZ_TARGETS); do \
	    echo "== engine: $$target"; mkdir -p "$$place/corpus/$$target"; \
	    "$$place/$$host/release/$$target" -max_total_time=$$(($(FUZZ) / 6)) -max_len=200 -timeout=10 \
	      -print_final_stats=1 -verbosity=0 -artifact_prefix="$$place/$$target-" \
	      "$$place/corpus/$$target" 2>&1 | grep -vE '^"|ecommended dict'; \
	  done; \
	else echo "No C++ compiler, which libFuzzer needs: the engine's laws are tried by make rust only." >&2; fi
	@end=$$(($$(date +%s) + $(FUZZ) / 2)); \
	while :; do for file in $(FUZZ_FILES); do \
	  [ "$$(date +%s)" -lt "$$end" ] || exit 0; \
	  echo "== $$file --hypothesis-seed=$${seed:=$$RANDOM}"; \
	  ATAXXD_FUZZ=1 $(BIN)/python -m pytest -q -x --timeout 600 --hypothesis-seed="$$seed" "$$file"; \
	  seed=; \
	done; done

# ---------------------------------------------------------------- check

.PHONY: check
check: lint types layers rust test ## Lint, types, layers, Rust, then the gate

.PHONY: format
format: setup ## Format Python, Rust and TypeScript
	$(BIN)/ruff check --quiet --fix-only .
	$(BIN)/ruff format .
	cargo fmt --all --manifest-path engine/Cargo.toml
	@if [ -d $(PEER)/node_modules ]; then cd $(PEER) && npx biome check --write; fi

.PHONY: lint
lint: setup ## Check format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	cargo fmt --all --check --manifest-path engine/Cargo.toml
	@if [ -d $(PEER)/node_modules ]; then cd $(PEER) && npx biome ci; fi

.PHONY: types
types: setup ## Check types twice, and the engine's stub against the engine
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/python -m mypy.stubtest ataxxd._engine

.PHONY: layers
layers: setup ## Check that each layer imports only what it may
	$(BIN)/lint-imports

.PHONY: docs
docs: setup ## Build the documentation into a site, build/docs/index.html; any warning ends it
	$(BIN)/python -m sphinx -b html -c docs/site -W --keep-going -n -E -q -d build/read . build/docs

.PHONY: reference
reference: setup ## Renew the reference pages that are made from the program
	$(BIN)/python -m tools.schemas
	$(BIN)/python -m tools.client_reference
	$(BIN)/python -m tools.watch_reference
	$(BIN)/python -m tools.page_reference
	$(BIN)/python -m tools.browser_words
	$(BIN)/python -m tools.lessons

OLDEST_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' engine/Cargo.toml)

.PHONY: rust
rust: ## Lint and test the engine with Rust's own tools, and compile it with the oldest Rust
	cargo clippy --quiet --locked --workspace --all-targets --manifest-path engine/Cargo.toml -- -D warnings
	cargo test --quiet --locked --workspace --exclude ataxxd-engine --manifest-path engine/Cargo.toml
	@if rustup run $(OLDEST_RUST) true 2>/dev/null || \
	    timeout 300 rustup --quiet toolchain install $(OLDEST_RUST) --profile minimal --no-self-update 2>/dev/null; then \
	  cargo +$(OLDEST_RUST) check --quiet --locked --workspace --all-targets --manifest-path engine/Cargo.toml \
	    --target-dir engine/target/oldest; \
	else echo "Not tried: Rust $(OLDEST_RUST), the oldest that we promise. rustup cannot get it here." >&2; fi

# ---------------------------------------------------------------- release

.PHONY: changelog
changelog: setup ## Show the changes that users notice since the last release
	@$(BIN)/towncrier build --draft --version next 2>/dev/null

# The lock names versions and hashes, never addresses.
.PHONY: lock
lock: setup ## Renew requirements/ from pyproject.toml
	@compile() { \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --no-header pyproject.toml -o "requirements/$$1.txt" "$${@:2}"; \
	}; \
	compile dev --group dev $(ARGS); \
	for group in use release; do compile $$group --group $$group --constraint requirements/dev.txt; done; \
	compile deb --extra mcp --extra pictures --extra queue --extra serve --constraint requirements/dev.txt

# The wheel is built from the sdist, so that a file missing there is found here, and tried
# from outside the tree, where nothing but the wheel and its dependencies can be imported.
.PHONY: dist
dist: setup ## Build wheel and sdist, and try the wheel in a fresh environment
	rm -rf dist
	$(BIN)/python -m hatchling build --target sdist
	@scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	tar -xzf dist/*.tar.gz -C "$$scratch"; \
	(cd "$$scratch"/ataxxd-* && "$(CURDIR)/$(BIN)/python" -m hatchling build \
	  --target wheel --directory "$(CURDIR)/dist"); \
	"$(BIN)/python" -m venv "$$scratch/venv"; \
	"$$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check dist/*.whl; \
	cd "$$scratch"; \
	venv/bin/ataxxd --version; \
	[ "$$(venv/bin/ataxxd perft --game ataxx 4 | tail -n 1)" = 155888 ]; \
	venv/bin/python -I -c "import importlib.util as u; \
	  found = [n for n in ('protocol', 'clients', 'engine', 'tests') if u.find_spec(n)]; \
	  assert not found, f'the wheel must not install {found}'"; \
	echo "The wheel works outside the tree."

# One wheel a platform, all from the sdist, linked by zig with the oldest C library that each promises.
WHEELS ?= $(foreach libc,manylinux_2_17 musllinux_1_2,$(libc)_x86_64 $(libc)_aarch64)
RELEASE := build/release

$(RELEASE)/.requirements: requirements/release.txt
	$${PYTHON:-python3} -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# Before anything is built, as building takes minutes.
.PHONY: wheel-targets
wheel-targets:
	@for platform in $(WHEELS); do \
	  case $$platform in musl*) libc=musl ;; *) libc=gnu ;; esac; \
	  target=$${platform#*linux_*_*_}-unknown-linux-$$libc; \
	  has() { [ -d "$$(rustc --print target-libdir --target $$target)" ]; }; \
	  has || timeout 300 rustup --quiet target add $$target 2>/dev/null || true; \
	  has || { \
	    echo "Rust has no library for $$platform here: rustup target add $$target" >&2; \
	    echo "Or build fewer wheels, such as for this machine alone: make wheels WHEELS=manylinux_2_17_$$(uname -m)" >&2; \
	    exit 1; }; \
	done

.PHONY: wheels
wheels: wheel-targets $(RELEASE)/.requirements peer ## Build the release in dist: the sdist and a wheel for each of WHEELS="PLATFORM ..."
	rm -rf dist
	$(RELEASE)/bin/python -m hatchling build --target sdist
	@scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	export PATH="$(CURDIR)/$(RELEASE)/bin:$$PATH"; \
	tar -xzf dist/*.tar.gz -C "$$scratch"; cd "$$scratch"/ataxxd-*; \
	for platform in $(WHEELS); do \
	  ATAXXD_PLATFORM=$$platform python -m hatchling build --target wheel --directory "$(CURDIR)/dist"; \
	  wheel=$$(echo "$(CURDIR)"/dist/*-$$platform.whl); \
	  auditwheel show "$$wheel" | tr -s '\n' ' ' | grep -F "platform tag: \"$$platform\"" >/dev/null || { \
	    auditwheel show "$$wheel" >&2; exit 1; }; \
	  abi3audit --strict "$$wheel"; \
	done

.PHONY: tagged
tagged:
	@version=v$$($(RELEASE)/bin/python -m hatchling version); \
	fail() { echo "$$1" >&2; exit 1; }; \
	[ -z "$$(git status --porcelain)" ] || fail "Commit what has changed first."; \
	[ -z "$$(ls changelog.d/+* 2>/dev/null)" ] || fail "Write the changes into CHANGELOG.md first: towncrier build --version $${version#v}"; \
	here=$${GITHUB_REPOSITORY:+$$GITHUB_SERVER_URL/$$GITHUB_REPOSITORY}; \
	[ -z "$$here" ] || $(RELEASE)/bin/python -m hatchling metadata urls | grep -F "\"$$here\"" >/dev/null || \
	  fail "Set the repository's address in pyproject.toml first: Repository = \"$$here\""; \
	git tag --points-at HEAD | grep -qx "$$version" || fail "Tag this commit first: git tag --sign $$version"

# What is in it stands in the bill of materials; whoever builds the same tag gets the same bytes.
.PHONY: release
release: $(RELEASE)/.requirements tagged ## Build a release in dist from a tagged commit: wheels, sdist, bill of materials, checksums
	@$(MAKE) --no-print-directory wheels
	@scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	"$${PYTHON:-python3}" -m venv "$$scratch/venv"; \
	"$$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check dist/*-manylinux_2_17_$$(uname -m).whl; \
	"$$scratch/venv/bin/python" -m pip uninstall --quiet --yes setuptools pip; \
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(RELEASE)/bin/cyclonedx-py environment "$$scratch/venv/bin/python" \
	  --pyproject pyproject.toml --output-reproducible -o dist/ataxxd.cdx.json
	cd dist && sha256sum * > SHA256SUMS

# For the Debian release that it is built on, and judged by that release's lintian where that is installed.
.PHONY: deb
deb: ## Build a Debian package of this commit in dist, for the Debian release of this machine
	@$(MAKE) --no-print-directory wheels WHEELS=manylinux_2_17_$$(uname -m)
	$(RELEASE)/bin/python deploy/debian/build.py dist/*.whl
	@scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	dpkg-deb --extract dist/*.deb "$$scratch"; cd "$$scratch"; \
	[ "$$(PYTHONPATH=usr/lib/ataxxd /usr/bin/python3 -m ataxxd perft --game ataxx 4 | tail -n 1)" = 155888 ]
	@if command -v lintian >/dev/null; then lintian --fail-on error,warning dist/*.deb; \
	else echo "Not judged: lintian is not installed." >&2; fi

.PHONY: clean
clean: ## Remove what was built; the sources stay
	rm -rf $(VENV) dist build engine/target ataxxd/_engine*.so \
	  .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
