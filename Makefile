# make demo   a private Postgres with sample data and a standby, pgsieve before both, a tour; Ctrl-C ends it
# make test   everything that must hold;  make check   the quick part of it
# make clients   real clients, direct and through pgsieve, compared; rewrites the table of tests/README.md
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.PHONY: setup build demo test check clients bench pictures image-check fresh-check clean

# Tests at a time. Many wait for a clock or a server: three for each processor keep it busy.
THREADS ?= $(shell echo $$((3 * $$(nproc))))
# Tests of `make check` that take seconds each or start servers: they are left to `make test`.
SLOW ?= demo:: shape_tests:: hostile::no_text_takes_long recoverers::exploring::tests hint_laws:: \
    telemetry::collector:: telemetry::chain:: gate::corpus::lax gate::corpus::hints retrieval::what_a_question \
    who_has_followed_longest a_receive_that_waits_for_long models::calculated::tests models::hashed::tests
# Arguments for the demo and the benchmark: make demo ARGS=--once
ARGS ?=
# How the program is linked by build and image-check: fat is what is released; thin and off are quicker to build.
LTO ?= fat
# Which clients `make clients` runs: CLIENTS=psql,pandas; all of them if empty.
CLIENTS ?=
# Which machines fresh-check makes, and what it runs in them; see .ci/fresh.
FRESH ?=
FRESH_COMMANDS ?= demo
FRESH_KEEP ?= off

## Installs what is missing: system packages, client drivers. Quick when nothing is.
setup:
	@.ci/setup all

## Builds the program, target/release/pgsieve, and what debuggers and backtraces read beside it, pgsieve.debug
build:
	@.ci/setup build
	CARGO_PROFILE_RELEASE_LTO=$(LTO) cargo build --release --locked
	@.ci/strip target/release/pgsieve

## Shows it. With a database of yours: make demo ARGS='--upstream postgres://…'
demo:
	@.ci/setup build
	@[ -x target/debug/pgsieve ] || echo 'Building pgsieve and the crates it stands on, once:' \
	    'about three minutes on two cores. Then the demo starts.'
	@cargo build --locked
	@target/debug/pgsieve demo $(ARGS)

## All tests, with real servers and real clients; what those that failed have said (each its first lines), how many
## passed, and how long each program took.
# cargo test, not nextest: tests of one program share one Postgres, nextest would start one for each.
test: setup
	@mkdir -p target; status=0; \
	RUST_TEST_THREADS=$(THREADS) cargo test --locked --workspace --no-fail-fast 2>&1 | tee target/test.log || status=$$?; \
	awk '/^---- .* stdout ----$$/ { said = 1 } /^failures:$$/ { said = 0 } \
	     said && said++ <= 30 { print substr($$0, 1, 1000) }' target/test.log; \
	awk '/^ +Running / { name = $$2; \
	         if (name == "unittests") { name = $$NF; sub(/.*\//, "", name); \
	             sub(/-[0-9a-f]+\)$$/, "", name); name = "unit tests of " name } } \
	     /^ +Doc-tests / { name = "documentation of " $$2 } \
	     /^ +Finished / { sub(/.* in /, ""); printf "\n%10s  build\n", $$0 } \
	     /^test result:/ { groups++; for (i = 1; i < NF; i++) { \
	         if ($$(i + 1) == "passed;") { passed += $$i; here = $$i } \
	         if ($$(i + 1) == "failed;") failed += $$i } \
	         printf "%10s  %s, %d tests\n", $$NF, name, here } \
	     END { printf "%d tests passed, %d failed, in %d programs\n", passed, failed, groups }' \
	    target/test.log; \
	exit $$status

## Format, lints, the quick unit tests and the shape of the source. About a minute once built.
check:
	cargo fmt --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo test --locked --workspace --quiet --lib --test pure --test tidy -- $(addprefix --skip ,$(SLOW))

## Every client of tests/data/clients/matrix: installs it where it can be had (3 GB, a quarter of an hour the first
## time), runs it direct and through pgsieve under agent and bi, and rewrites the table of tests/README.md.
clients: setup
	@tests/data/clients/matrix/install
	@cargo build --locked --profile test
	@tests/data/clients/matrix/run --readme $(if $(CLIENTS),--only '$(CLIENTS)') $(ARGS)

## Throughput and processor time beside a direct connection, PgBouncer and HAProxy.
bench:
	@.ci/setup bench
	cargo bench --locked --bench proxies -- $(ARGS)

## Builds the image of docker/ with an engine of its own and tries it. LTO=off is quick.
image-check:
	@.ci/setup image
	@LTO=$(LTO) docker/verify

## Runs the demo on minimal Debians that it makes, as on machines that nobody prepared; see .ci/fresh.
fresh-check:
	@.ci/setup fresh
	@FRESH='$(FRESH)' FRESH_COMMANDS='$(FRESH_COMMANDS)' FRESH_KEEP='$(FRESH_KEEP)' .ci/fresh

## Draws the dashboards from ten minutes of real load; grafana/README.md shows the first.
pictures:
	@.ci/setup pictures
	@GRAFANA_SECONDS=600 GRAFANA_PICTURES=target/pictures \
	    cargo test --locked --test outside grafana::pictures:: -- --nocapture
	pngquant --force --speed 1 --output grafana/pictures/overview.png target/pictures/pgsieve-overview.png

clean:
	cargo clean
