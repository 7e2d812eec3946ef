# The front door. CMake does the work (CMakePresets.json); `make help` lists what there is.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS

.DEFAULT_GOAL := build
.PHONY: build demo readme test test-all check-format format bench clean help

build: ## build the tool: build/supple
	@scripts/setup.sh build
	@scripts/node-packages.sh web
	@test -f build/release/build.ninja || cmake --preset release -DSUPPLE_TESTS=OFF
	@test build/release/build.ninja -nt web/node_modules/.fetched || cmake --preset release > /dev/null
	@cmake --build build/release -j $(JOBS)
	@ln -sf release/supple build/supple

demo: build ## the whole story in a minute, into build/demo
	build/supple demo -o build/demo
	@echo 'supple is build/supple here; README.md goes on with it'

readme: build ## do everything that README.md says, and say how long it takes
	@scripts/setup.sh test
	python3 tests/house/run_readme.py build/release

test: ## every lane without the long tests: 20 minutes on two cores (LANES="release wasm": these)
	@scripts/setup.sh test
	@scripts/test.sh $(or $(LANES),test)

test-all: ## these and the long ones
	@scripts/setup.sh test-all
	@scripts/test.sh test-all

check-format: ## is every source laid out by clang-format?
	@scripts/check-format.sh

format: ## lay them out
	@scripts/check-format.sh --fix

bench: build ## speed, with the hash of the result beside it
	build/supple bench

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22
