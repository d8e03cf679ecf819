# `make run` starts Docket, `make test` checks everything. Both install what they need: see scripts/need.

.DEFAULT_GOAL := help
.PHONY: help run test test-llm chaos explore build dist fmt check bundle bench screenshots clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
	  printf '  make %-11s %s\n' "$$name" "$$what"; done

run: ## Build and start Docket: ARGS="…" for `docket serve`, data in DOCKET_DATA_DIR (./docket-data)
	@scripts/run $(ARGS)

test: ## Check and test everything, as CI does
	@scripts/test

test-llm: ## Test against a real language model on this machine (not part of `make test`)
	@scripts/llm

chaos: ## Kill Docket's processes 200 times while 500 documents go in: ARGS="--faults" for other faults too
	@scripts/bundle
	@cargo run --release --locked -p docket-chaos -- run $(ARGS)

explore: ## Simulation, damaged documents, API fuzzing and fuzz targets from random seeds, for MINUTES (10)
	@scripts/explore

build: ## Build the binary that `make run` starts: target/release/docket
	@scripts/build

dist: ## Pack a distribution into dist/: optimised binary, symbols, licences, checksums
	@scripts/dist

fmt: ## Format the code
	@cargo fmt --all

check: ## Formatting, lints, licences and known vulnerabilities only
	@scripts/bundle
	@scripts/check

bundle: ## Fetch the PostgreSQL that the binary carries
	@scripts/bundle

bench: ## Measure Docket and its peers
	@scripts/bundle
	@bench/run

screenshots: ## Pictures of every screen of the web UI into ui/screenshots, of real files with DOCKET_CORPUS
	@scripts/bundle
	@scripts/need node chromium
	@scripts/ui build
	@cargo build --locked -p docket
	@scripts/ui-e2e --screenshots "$${CARGO_TARGET_DIR:-target}/debug/docket"

clean: ## Remove everything that was built, but neither the data nor the tools
	@cargo clean
	@rm -rf .bundle dist ui/dist ui/node_modules ui/screenshots
