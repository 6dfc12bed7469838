# The two commands of the README, and a few more. The build itself is CMake's; see CMakePresets.json.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WERROR ?= OFF

PACKAGES := gcc libc6-dev make cmake pkg-config libcmocka-dev libopenblas-dev libsuitesparse-dev libsuperlu-dev \
	libnlopt-dev librsvg2-bin python3-jsonschema zsh man-db
MANUAL_PACKAGES := python3-sphinx python3-myst-parser furo
BENCH_PACKAGES := petsc-dev libsundials-dev libopenmpi-dev gnuplot-nox

.PHONY: help demo test bench accuracy bars docs manual clean
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

help:
	@echo "make demo    build, then print and draw the gradient of a model, and certify it"
	@echo "make test    build and run all tests"
	@echo "make bench   build and run the benchmarks against other libraries, and write docs/benchmarks.md"
	@echo "make accuracy   build, then measure error against tolerance, for docs/accuracy_table.md"
	@echo "make bars    build, then measure error bars against true errors, for docs/error_bars_table.md"
	@echo "make docs    build, then put into the manual what its commands print and draw, and the headers say"
	@echo "make manual  make HTML pages of the manual, with search, in build/manual"
	@echo "make clean   remove everything that was built"
	@echo "Debian packages that are missing are installed first."

demo:
	@tools/install-deps.sh $(PACKAGES)
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target costate_command
	@echo
	build/release/costate gradient examples/models/predator_prey.c --scaled --plot build/demo.svg
	@echo
	build/release/costate check examples/models/predator_prey.c
	@echo
	@echo "The scaled sensitivities are drawn in build/demo.svg."
	@echo "A model of your own: copy examples/models/predator_prey.c, change it, and run"
	@echo "    build/release/costate gradient YOUR_MODEL.c"

test:
	@tools/install-deps.sh $(PACKAGES)
	cmake --preset release -DCOSTATE_WERROR=$(WERROR)
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(JOBS)

bench:
	@tools/install-deps.sh $(PACKAGES) $(BENCH_PACKAGES)
	cmake --preset bench
	cmake --build --preset bench --parallel $(JOBS)
	bench/run
	bench/report build/bench/results

accuracy:
	@tools/install-deps.sh $(PACKAGES)
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target accuracy
	build/release/tests/accuracy > docs/accuracy_table.md

bars:
	@tools/install-deps.sh $(PACKAGES)
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS) --target bars
	build/release/tests/bars > docs/error_bars_table.md

docs:
	@tools/install-deps.sh $(PACKAGES)
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	tools/reference.py
	tests/pages/run.py --write $$(grep -l '^```console' *.md docs/*.md docs/*/*.md examples/*.md)

manual:
	@tools/install-deps.sh $(MANUAL_PACKAGES)
	tools/manual.py build/manual

clean:
	rm -rf build
