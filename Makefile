# `make demo` and `make test` do everything on a fresh machine with Python 3.11, g++ and make:
# a virtual environment in .venv, cmake and ninja from PyPI, the build, the work.
#
# Stamps in .venv remember what is done. A change of the C++ code or of pyproject.toml builds
# again (only what changed); a change of the Python code needs nothing, the install is editable.

PYTHON ?= python3
PIP := .venv/bin/pip --disable-pip-version-check install --quiet $(PIP_FLAGS)
NATIVE := $(shell find native/core native/bindings -name '*.[ch]pp')

# Tests start hundreds of interpreters, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo docs notebooks test test-full test-timed soak coretest libcxx coverage asan tsan fuzz warnings lint format types \
    stub bench wheel clean help

help:
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 16

demo: .venv/.installed  ## from a bundled table to a tree and a report in out/
	@mkdir -p out
	.venv/bin/treewright columns loans --target repaid
	@echo
	.venv/bin/treewright train loans --out out/loans.json --report out/loans_report.html
	@echo
	.venv/bin/treewright evaluate loans --repeats 10 -q
	@echo
	.venv/bin/treewright explain out/loans.json loans --row 1 -q
	@echo
	.venv/bin/treewright show out/loans.json --out out/loans_tree.html
	@echo
	@echo "Open out/loans_report.html, the report, and out/loans_tree.html, the tree to fold and search."
	@echo "Then try your own table: .venv/bin/treewright train FILE --target COLUMN --report out/report.html"

test: .venv/.dev  ## run the tests; the end says what to install for skipped ones
	.venv/bin/python -m pytest -n 2 -m "not large and not full and not timed" $(ARGS)

test-full: .venv/.dev  ## run what `make test` leaves out: hostile input, other programs, builds, browsers
	.venv/bin/python -m pytest -n 2 -m "full and not large and not timed" $(ARGS)

test-timed: .venv/.dev  ## by hand, on an idle machine: tests that hold limits in seconds
	.venv/bin/python -m pytest -n 0 -m "timed and not large" $(ARGS)

soak: .venv/.dev  ## by hand: tests of minutes, gigabytes or thousands of examples
	PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/python -m pytest -n 0 -m large --timeout 1800 $(ARGS)

coretest: .venv/.tools  ## build the tests of the C++ core on its own and run them; ARGS=--thorough
	.venv/bin/cmake -S . -B build/coretest -G Ninja -DTREEWRIGHT_CORE_TESTS=ON \
	    -DTREEWRIGHT_EXTENSION=OFF -DCMAKE_MAKE_PROGRAM=$(CURDIR)/.venv/bin/ninja
	.venv/bin/cmake --build build/coretest
	build/coretest/treewright_core_tests $(ARGS)

CLANG ?= $(firstword $(foreach name,clang++ clang++-20 clang++-19 clang++-18,$(shell command -v $(name))))
libcxx: .venv/.tools  ## the same tests with clang and libc++, which must be installed
	@test -n "$(CLANG)" || { echo "no clang++ here: install clang, libc++-dev and libc++abi-dev"; exit 1; }
	.venv/bin/cmake -S . -B build/libcxx -G Ninja -DTREEWRIGHT_CORE_TESTS=ON \
	    -DTREEWRIGHT_EXTENSION=OFF -DCMAKE_MAKE_PROGRAM=$(CURDIR)/.venv/bin/ninja \
	    -DCMAKE_CXX_COMPILER=$(CLANG) -DCMAKE_CXX_FLAGS=-stdlib=libc++
	.venv/bin/cmake --build build/libcxx
	build/libcxx/treewright_core_tests $(ARGS)

# What reaches the compiled code; the other tests would only take longer.
WATCHED := kernels contracts data induction estimators single_trees persistence preprocessing \
    verbs ensembles neighbors clustering linear model_trees pruning tree explanations measures \
    concepts torture
THREADED := tests/kernels tests/ensembles tests/torture/test_concurrency.py tests/torture/test_interrupts.py

asan: .venv/.dev  ## run the core's tests and the Python tests under AddressSanitizer and UBSan
	cmake/sanitized asan build
	cmake/sanitized asan core
	cmake/sanitized asan python -m pytest -n 2 --timeout 1800 $(or $(ARGS),$(WATCHED:%=tests/%))

tsan: .venv/.dev  ## run the core's tests and those with threads under ThreadSanitizer
	cmake/sanitized tsan build
	cmake/sanitized tsan core
	cmake/sanitized tsan python -m pytest -n 2 --timeout 1800 $(or $(ARGS),$(THREADED))

SECONDS ?= 600
fuzz: .venv/.fuzz  ## feed odd files to every reader for SECONDS=600; ARGS="--targets csv_table" picks
	PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/python -m fuzz.run --seconds $(SECONDS) $(ARGS)

# Optimized, since some warnings come from what the optimizer finds out.
warnings: .venv/.tools  ## compile all C++ code; any warning is an error
	.venv/bin/cmake -S . -B build/warnings -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/.venv/bin/ninja \
	    -DPython_EXECUTABLE=$(CURDIR)/.venv/bin/python -DTREEWRIGHT_CORE_TESTS=ON \
	    -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON \
	    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	.venv/bin/cmake --build build/warnings --target treewright_core_tests _native

coverage: .venv/.dev  ## count the branches that tests take, in C++ and Python; needs clang
	PATH=$(CURDIR)/.venv/bin:$$PATH .venv/bin/python -m benchmarks.reliability.coverage $(ARGS)

lint: .venv/.dev  ## look for mistakes and for text that `make format` would change
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

format: .venv/.dev  ## bring Python files into the house form
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

types: .venv/.dev  ## check the types of src, strictly
	.venv/bin/mypy

stub: .venv/.dev  ## write _native.pyi anew after a change of the bindings
	.venv/bin/python -m nanobind.stubgen -q -m treewright._kernels._native \
	    -o src/treewright/_kernels/_native.pyi

bench: .venv/.bench  ## time treewright beside its peers; ARGS="tree_100k iris" picks workloads
	.venv/bin/python -m benchmarks.run $(ARGS)

docs: .venv/.dev  ## make the pages of docs/ into a site in out/docs
	.venv/bin/python docs/command_reference.py
	.venv/bin/python -m sphinx -W --keep-going -q -b html docs out/docs

notebooks: .venv/.dev  ## run the notebooks of docs/ anew and keep what they show
	.venv/bin/python docs/notebooks/rerun.py

wheel: .venv/.dev  ## build a wheel into dist/
	.venv/bin/pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-deps -w dist .

clean:  ## remove everything that was made here
	rm -rf .venv build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The build tools live in the environment itself (not in pip's throw-away one), so that a second
# build compiles only what changed.
.venv/.tools:
	$(PYTHON) -m venv .venv
	$(PIP) 'scikit-build-core>=1.1' 'nanobind>=3.1' 'cmake>=3.25' ninja
	@touch $@

.venv/.installed: .venv/.tools pyproject.toml CMakeLists.txt $(NATIVE)
	$(PIP) --no-build-isolation --editable '.[cli]'
	@touch $@

.venv/.dev: .venv/.installed
	$(PIP) 'treewright[dev]'
	@touch $@

.venv/.fuzz: .venv/.dev
	$(PIP) 'treewright[fuzz]'
	@touch $@

.venv/.bench: .venv/.installed
	$(PIP) 'treewright[bench]'
	@touch $@
