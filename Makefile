# The checks of the project; .ci/run calls them.

GO      ?= go
# The tools of make/tools/go.mod, in any folder of the repository.
TOOL     = $(GO) tool -modfile=$(CURDIR)/make/tools/go.mod
# The folders of all go.mod files.
MODULES := $(patsubst %/,%,$(dir $(shell git ls-files go.mod '*/go.mod')))

.PHONY: all test demo lint tidy generate check-generate openblas mca race race-long noasm kernels bench flops rates page results benchsmoke benchcompare octave matlab examples

empty :=
space := $(empty) $(empty)

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

# The tests of package bls that choose settings by many fits. They take longest, and are left out
# where the backend or the size of an int is tested: they are about neither.
CHOICES = ZeroValue|FindsRare|Tune|OfAnySize|GivenIsKept

# With OpenBLAS, and not again with pure: the tests of all packages that have another backend than
# pure, and of the command the short ones.
NO_BACKEND = $(addprefix blskernel/,dataset/stream internal/blas12 internal/docs internal/elementary internal/gemm internal/golden internal/kernel)
COMMANDS   = $(shell $(GO) list ./cmd/... ./examples/...)

openblas: export CGO_ENABLED = 1
openblas: export BLSKERNEL_ONLY = openblas
openblas:
	$(GO) test -timeout 30m -tags cgo -skip '$(CHOICES)' $(filter-out $(NO_BACKEND) $(COMMANDS),$(shell $(GO) list ./...))
	$(GO) test -tags cgo -short $(COMMANDS)

lint:
	@unformatted="$$(gofmt -l .)"; if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(TOOL) staticcheck ./...

# Every go.mod says exactly what the code imports.
tidy:
	@set -e; for dir in $(MODULES); do echo "go mod tidy -diff in $$dir"; $(GO) -C $$dir mod tidy -diff; done
	$(GO) mod verify

# Generates the assembly.
generate:
	$(GO) generate ./internal/kernel

check-generate:
	@set -e; \
	rm -f $$(grep -l '^// Code generated' internal/kernel/*.s internal/kernel/*.go); \
	$(GO) generate ./internal/kernel; \
	changed="$$(git status --porcelain -- internal/kernel)"; \
	if [ -n "$$changed" ]; then echo "the generator does not write what is checked in:"; echo "$$changed"; exit 1; fi
	$(GO) vet ./internal/kernel
	GOARCH=arm64 $(GO) vet ./internal/kernel
	$(GO) -C internal/kernel/_asm vet ./...
	$(GO) -C internal/kernel/_asm test ./...

# The tables of docs/arm64.md, by Debian's package llvm-19. LLVM= takes the programs whose names have no number.
LLVM ?= -19

mca:
	@set -e; command -v llvm-mca$(LLVM) llvm-objdump$(LLVM) >/dev/null || { echo "no llvm-mca$(LLVM): install LLVM 19, or set LLVM"; exit 1; }; \
	dir="$$(mktemp -d)"; trap 'rm -rf "$$dir"' EXIT; \
	for arch in arm64 amd64; do \
		GOOS=linux GOARCH=$$arch CGO_ENABLED=0 $(GO) test -c -o "$$dir/program" ./internal/kernel; \
		llvm-objdump$(LLVM) -d --no-show-raw-insn "$$dir/program" >"$$dir/$$arch"; \
	done; \
	$(GO) -C internal/kernel/_asm run ./mca -mca llvm-mca$(LLVM) "$$dir"

# The packages that have goroutines of their own or in their tests. The race detector sees neither the threads of OpenBLAS nor
# assembly. Where one goroutine calls and only the products divide their work, it finds nothing that their own tests do not
# show; and internal/soak does everything at once. So the packages RACE_SOME have those tests that start goroutines or bring
# parts of rows to several, and the others all but the longest. race-long, of make verify, has what is left out here.
# TestHostileMemory counts bytes: in code for the race detector append(s, make([]byte, n)...) allocates twice.
RACE          = BLSKERNEL_OPENBLAS=/nonexistent/libopenblas.so.0 $(GO) test -race
RACE_PACKAGES = $(addprefix ./,$(sort $(dir $(shell git grep -lE '^\s+go (func|[a-z][a-zA-Z.]*).' -- '*.go' ':!scaleout' ':!python'))))
RACE_SOME     = ./bls/ ./blsupdate/ ./internal/blas12/ ./lapack/
RACE_TESTS    = Concurrent|Thread|ParallelRows|While|Tune$$|NewClass|Shared$$
RACE_NEVER    = Gallery|Growth|Implementation|MeasureRates|BadElements|BadArrays|CSVLong|HostileMemory
RACE_LONG     = Fuzz|Shapes|TestProducts$$|PackingBits|ParallelAllocs|ScaledEquations|MatrixVector|Accuracy|TestGemm$$|AbsMax \
	BadLongText|BadPairs|BadCells|BytesOf RandomTables|PaperTables|WithoutPlanner|Demonstration|TestSignals|Golden|JSON|NumPy \
	WideBatches|EarlierFlags|TestTable$$|AutomaticAgain|BesideEnds|PieceBorders|Replaced

race:
	$(RACE) -short -timeout 30m -run '$(RACE_TESTS)' -skip '$(RACE_NEVER)' $(RACE_SOME)
	$(RACE) -short -timeout 30m -skip '$(RACE_NEVER)|$(subst $(space),|,$(strip $(RACE_LONG)))' $(filter-out $(RACE_SOME),$(RACE_PACKAGES))

race-long:
	$(RACE) -short -timeout 1h -skip '$(RACE_NEVER)' $(RACE_PACKAGES)

# The kernels and the products; and what computes with them.
PRODUCTS = $(shell $(GO) list . ./mat/... ./internal/... | grep -v 'internal/docs$$')
COMPUTE  = $(PRODUCTS) $(shell $(GO) list ./lapack/... ./blsupdate/... ./bls)

# Without internal/golden, which make golden tests in this way.
noasm:
	$(GO) vet -tags noasm ./...
	$(GO) test -tags noasm -short $(filter-out %/internal/golden,$(PRODUCTS))

# Without cgo, on each kernel of this CPU but the first, which the other targets test, and the last, which noasm tests.
# internal/golden, internal/kernel and internal/block run on all kernels by themselves.
kernels:
	@set -e; kernels="$$(CGO_ENABLED=0 $(GO) run ./cmd/blskernel info --json | sed -n '/"kernels"/,/]/s/^ *"\([a-z0-9]*\)",\{0,1\}$$/\1/p')"; \
	case "$$kernels" in *generic*) ;; *) echo "no list of kernels"; exit 1;; esac; \
	for kernel in $$(echo "$$kernels" | sed '1d;$$d'); do \
		echo "test with BLSKERNEL_KERNEL=$$kernel"; \
		CGO_ENABLED=0 BLSKERNEL_KERNEL=$$kernel $(GO) test -short $(filter-out %/internal/golden %/internal/kernel %/internal/block,$(COMPUTE)); \
	done

# The modules that show how this one is used.
examples:
	@set -e; for dir in examples/external examples/gonum; do (cd $$dir && $(GO) vet ./... && $(GO) test ./...); done
	cd examples/external && $(GO) run .
	cd examples/gonum && $(GO) run . -n 100 -rounds 1

# Every benchmark once.
benchsmoke:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./bench/benchmarks

# Speeds against OpenBLAS and the peak of the CPU; half an hour on two idle cores.
bench:
	$(GO) run ./cmd/blskernel bench --op dgemm
	$(GO) run ./cmd/blskernel bench --op dsyrk,dsyr2k,dsymm,dtrmm,dtrsm

# Both backends in turn and benchstat's table; the script names its variables.
benchcompare:
	bench/benchcompare.sh

# Predicted and measured times of updates over the grid of settings on each backend; a quarter of an hour on two idle cores.
flops:
	$(GO) run ./cmd/blskernel flops --validate --calibrate

# Measures the rates in full and plans with them, in a folder of its own.
rates:
	@set -e; cache="$$(mktemp -d)"; trap 'rm -rf "$$cache"' EXIT; export BLSKERNEL_CACHE="$$cache"; \
	$(GO) run ./cmd/blskernel plan -k 200 -q 20 -l 1000 --calibrate; \
	$(GO) run ./cmd/blskernel flops -k 200 -q 20 -l 1000

# A page of results: at small sizes from the embedded data, or at the paper's sizes, which takes hours and the files of MNIST and
# small NORB in the folder DATA.
page:
	docs/results/measure.sh quick page

results:
	docs/results/measure.sh full docs/results $(DATA)

# The same algorithms in GNU Octave; OCTAVEFLAGS are the scale and the folder of MNIST, as in bench/octave/compare.sh.
octave:
	bench/octave/compare.sh $(OCTAVEFLAGS)

# Tests octave/blskernel.m and docs/matlab.md, if GNU Octave is there.
matlab:
	octave/test.sh
