# Two commands matter: `make demo` shows Lore at work, `make test` proves it. Both need Rust, make and a C compiler.

CARGO ?= cargo
LORE  := $(or $(CARGO_TARGET_DIR),target)/release/lore
BENCH := $(or $(CARGO_TARGET_DIR),target)/release/examples/bench

.PHONY: help build demo test stress lint bench fuzz reference clean

help:
	@echo "make demo   build Lore and show its main job on a sample vault"
	@echo "make test   check the code and run every test"
	@echo "make stress run ten thousand operations in processes that are killed at random, and check what is left"
	@echo "make bench  measure the shipped binary on a generated vault of 5,000 pages"
	@echo "make fuzz   fuzz the page grammar for a minute each (needs a nightly compiler and cargo-fuzz)"

build:
	$(CARGO) build --release --locked --package lore

demo: build
	@sh scripts/demo.sh $(LORE)

# The lints are the architecture, so they are part of the tests wherever the compiler ships with them.
lint:
	@if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --all --check; else echo "rustfmt is not installed: format not checked"; fi
	@if $(CARGO) clippy --version >/dev/null 2>&1; then $(CARGO) clippy --workspace --all-targets --locked -- -D warnings; else echo "clippy is not installed: lints not checked"; fi

test: lint
	$(CARGO) test --workspace --locked
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet

# OPS says how many operations; LORE_STRESS_SEED in the environment repeats a run.
stress:
	LORE_STRESS_OPS=$(or $(OPS),10000) $(CARGO) test --release --locked --package lore --test it -- stress::

bench: build
	$(CARGO) build --release --locked --package lore --example bench
	$(BENCH) $(LORE) .bench $(PAGES)

fuzz:
	cd fuzz && $(CARGO) +nightly fuzz run parse -- -max_total_time=60 -dict=markdown.dict
	cd fuzz && $(CARGO) +nightly fuzz run edit -- -max_total_time=60 -dict=markdown.dict

reference: build
	$(LORE) reference > docs/cli.md

clean:
	$(CARGO) clean
	rm -rf .demo .bench
