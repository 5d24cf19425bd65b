# The checks of the project; .ci/run calls them.

GO      ?= go
# The tools of make/tools/go.mod, in any folder of the repository.
TOOL     = $(GO) tool -modfile=$(CURDIR)/make/tools/go.mod
# The folders of all go.mod files.
MODULES := $(patsubst %/,%,$(dir $(shell git ls-files go.mod '*/go.mod')))

.PHONY: all test demo lint words tidy generate check-generate openblas mca race noasm kernels ci-table bench flops rates page results benchsmoke benchcompare octave matlab examples

all: lint test

include make/platforms.mk
include make/long.mk
include make/trust.mk
include make/release.mk
include make/python.mk

# The README's two commands.
demo:
	$(GO) run ./cmd/blskernel demo

test:
	$(GO) test ./...

# Tested with OpenBLAS, and not again with pure: the choice of the backend, the two ways to
# OpenBLAS, and everything that checks a backend. Code above package blsupdate asks a backend for
# the same products.
OPENBLAS = . ./internal/linalg/backend/... ./internal/linalg/openblas/... ./internal/linalg/block ./mat ./lapack ./blsupdate ./bench/speed ./internal/testutil/backends

openblas: export CGO_ENABLED = 1
openblas: export BLSKERNEL_ONLY = openblas
openblas:
	$(GO) test -count=1 -tags cgo $(OPENBLAS)

lint:
	@unformatted="$$(gofmt -l .)"; if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	make/lint/sizes.sh
	$(GO) -C make/mutants vet .

# Counts the phrases that CONTRIBUTING.md discourages; COMMIT=commit adds a column for that commit,
# WHERE=-l lists the places.
words:
	make/lint/words.sh $(WHERE) $(COMMIT)

# Checks that every go.mod lists exactly what the code imports.
tidy:
	@set -e; for dir in $(MODULES); do echo "go mod tidy -diff in $$dir"; $(GO) -C $$dir mod tidy -diff; done
	$(GO) mod verify

# Generates the assembly.
generate:
	$(GO) generate ./internal/linalg/kernel

check-generate:
	@set -e; \
	rm -f $$(grep -l '^// Code generated' internal/linalg/kernel/*/*.s internal/linalg/kernel/*/*.go); \
	$(GO) generate ./internal/linalg/kernel; \
	changed="$$(git status --porcelain -- internal/linalg/kernel)"; \
	if [ -n "$$changed" ]; then echo "the generated files differ from the files that are checked in:"; echo "$$changed"; exit 1; fi
	$(GO) vet ./internal/linalg/kernel/...
	GOARCH=arm64 $(GO) vet ./internal/linalg/kernel/...
	$(GO) -C internal/linalg/kernel/_asm vet ./...
	$(GO) -C internal/linalg/kernel/_asm test ./...

# Computes the tables of predicted speeds in docs/performance.md with Debian's package llvm-19. LLVM=
# uses the programs without a version in their names.
LLVM ?= -19

mca:
	@set -e; command -v llvm-mca$(LLVM) llvm-objdump$(LLVM) >/dev/null || { echo "no llvm-mca$(LLVM): install LLVM 19, or set LLVM"; exit 1; }; \
	dir="$$(mktemp -d)"; trap 'rm -rf "$$dir"' EXIT; \
	for arch in arm64 amd64; do \
		GOOS=linux GOARCH=$$arch CGO_ENABLED=0 $(GO) test -c -o "$$dir/program" ./internal/linalg/kernel; \
		llvm-objdump$(LLVM) -d --no-show-raw-insn "$$dir/program" >"$$dir/$$arch"; \
	done; \
	$(GO) -C internal/linalg/kernel/_asm run ./mca -mca llvm-mca$(LLVM) "$$dir"

# The packages that start goroutines, in code or in tests. The race detector sees neither the
# threads of OpenBLAS nor assembly. A test in which it can find nothing says so:
# testutil.NotUnderRace. Examples run the same code as tests.
RACE          = BLSKERNEL_OPENBLAS=none $(GO) test -race
RACE_PACKAGES = $(addprefix ./,$(sort $(dir $(shell git grep -lE '^\s+go (func|[a-z][a-zA-Z.]*).' -- '*.go' ':!scaleout' ':!python'))))

race:
	$(RACE) -timeout 30m -run '^(Test|Fuzz)' $(RACE_PACKAGES)

# The kernels, and the products and reductions built on them. Code above them gives the same bits on
# every kernel: internal/testutil/golden compares them.
KERNELS = ./internal/linalg/kernel ./internal/linalg/gemm ./internal/linalg/blas12 ./internal/linalg/block

noasm:
	$(GO) vet -tags noasm ./...
	$(GO) test -tags noasm $(KERNELS)

# Without cgo, on each kernel of this CPU except the first, which go test covers, and the last,
# which noasm covers. internal/linalg/kernel and internal/linalg/block run on all kernels by
# themselves. Go does not see that packages read the variable, and would reuse cached results.
kernels:
	@set -e; kernels="$$(CGO_ENABLED=0 $(GO) run ./cmd/blskernel info --json | sed -n '/"kernels"/,/]/s/^ *"\([a-z0-9]*\)",\{0,1\}$$/\1/p')"; \
	case "$$kernels" in *generic*) ;; *) echo "no list of kernels"; exit 1;; esac; \
	for kernel in $$(echo "$$kernels" | sed '1d;$$d'); do \
		echo "test with BLSKERNEL_KERNEL=$$kernel"; \
		CGO_ENABLED=0 BLSKERNEL_KERNEL=$$kernel $(GO) test -count=1 ./internal/linalg/gemm ./internal/linalg/blas12; \
	done

# Writes the times of CI's steps into CONTRIBUTING.md from the log of a run: make ci-table LOG=log
ci-table:
	@awk 'function row() { if (name) printf "| %s | %d:%02d |\n", name, (now - before) / 60, (now - before) % 60 } \
		BEGIN { print "| step | minutes |\n|---|---|" } \
		/^== / { split($$2, t, ":"); now = 60 * t[1] + t[2]; row(); before = now; name = $$0; sub(/^== [0-9:]* /, "", name) } \
		END { name = "**all**"; before = 0; row() }' '$(LOG)' >'$(LOG).table'
	sed -i -e '/^<!-- steps/r $(LOG).table' -e '/^<!-- steps/,/^<!-- end/{/^|/d}' CONTRIBUTING.md

# The module that shows how this one is used.
examples:
	cd examples/external && $(GO) vet ./... && $(GO) test ./... && $(GO) run .

# Every benchmark once.
benchsmoke:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./bench/benchmarks

# Speeds against OpenBLAS and the peak of the CPU; half an hour on two idle cores.
bench:
	$(GO) run ./cmd/blskernel bench --op dgemm
	$(GO) run ./cmd/blskernel bench --op dsyrk,dsyr2k,dsymm,dtrmm,dtrsm

# Both backends in turn and benchstat's table; the script documents its variables.
benchcompare:
	bench/benchcompare.sh

# Predicted and measured times of updates over the grid of settings on each backend; a quarter of an hour on two idle cores.
flops:
	$(GO) run ./cmd/blskernel flops --validate --calibrate

# Measures the rates in full and plans with them, in a temporary cache.
rates:
	@set -e; cache="$$(mktemp -d)"; trap 'rm -rf "$$cache"' EXIT; export BLSKERNEL_CACHE="$$cache"; \
	$(GO) run ./cmd/blskernel plan -k 200 -q 20 -l 1000 --calibrate; \
	$(GO) run ./cmd/blskernel flops -k 200 -q 20 -l 1000

# A page of results: at small sizes from the embedded data, or at the paper's sizes, which takes
# hours and needs the files of MNIST and small NORB in the folder DATA.
page:
	docs/results/measure.sh quick page

results:
	docs/results/measure.sh full docs/results $(DATA)

# The same algorithms in GNU Octave; OCTAVEFLAGS are the scale and the folder of MNIST, as in bench/octave/compare.sh.
octave:
	bench/octave/compare.sh $(OCTAVEFLAGS)

# Tests octave/blskernel.m and docs/interchange.md, if GNU Octave is installed.
matlab:
	octave/test.sh
