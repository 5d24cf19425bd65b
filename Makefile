# The checks of the project. .ci/run calls these targets under its different builds.

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
CROSS       ?= linux/arm64 darwin/arm64 windows/amd64 linux/386

.PHONY: all test demo verify large-csv lint race noasm kernels cross external tidy generate check-generate bench flops rates page results check-page benchsmoke benchcompare octave

all: lint test

include make/release.mk
include make/trust.mk
include make/fuzz.mk
include make/faults.mk
include make/soak.mk
include make/portability.mk
include make/scaleout.mk

# The README's two commands.
test:
	$(GO) test ./...

demo:
	$(GO) run ./cmd/blskernel demo

# long runs the tests of the names in its first argument, in the packages of the second, in full. Where one of these has no such test,
# it fails, since go test calls that a success.
define long
	@$(GO) test -list '$(1)' $(2) | awk '/^Test/ { n++ } /^ok/ { if (!n) { print $$2 " has no test $(1)"; bad = 1 } n = 0 } END { exit bad }'
	BLSKERNEL_LONG=1 $(GO) test -count=1 -timeout 1h $(3) -run '$(1)' $(2)
endef

# The long suites: the gallery of matrices at every order to 200, gonum's tests of LAPACK and the backends against each other on every
# kernel, products of all shapes to 70, the growth of errors, models of any scale, every fault, everything at once for long, every fuzz
# target, arm64 in emulation (.ci/run has 32 bits and a big-endian machine), the coverage, training from a file that is larger than the
# memory it may take, and full-size training on MNIST, on one machine and in shards, where its files are (BLSKERNEL_MNIST, or
# ../shared/data/mnist beside the checkout). Less than an hour on two cores with OpenBLAS.
verify:
	$(call long,Gallery|Inherited|CrossCheck|ShapesAll|Growth|ScalesAreKept,./lapack . ./internal/gemm ./blsupdate)
	$(MAKE) --no-print-directory faults
	$(MAKE) --no-print-directory soak
	$(MAKE) --no-print-directory fuzz
	$(MAKE) --no-print-directory arm64
	$(MAKE) --no-print-directory cover
	$(MAKE) --no-print-directory large-csv
	$(call long,MNIST,./bench,-v -timeout 4h)
	$(MAKE) --no-print-directory scaleout-mnist

# The file of 919 MB that docs/performance.md makes, by the command that stands there, and training from it: in less than 400 MB of
# memory, and with a report that says what the time was limited by. The most that a process has had resident is VmHWM, which
# only Linux tells.
large-csv:
	@set -e; dir="$$(mktemp -d)"; trap 'rm -rf "$$dir"' EXIT; $(GO) build -o "$$dir/blskernel" ./cmd/blskernel; \
	sed -n "/^    awk 'BEGIN {$$/,/big.csv$$/s/^    //p" docs/performance.md >"$$dir/make.sh"; \
	cd "$$dir"; echo "make big.csv"; sh -e make.sh; test "$$(wc -l <big.csv)" = 2000001; \
	./blskernel train --out big.bls --target y --task regression --backend pure big.csv >said 2>&1 & \
	pid=$$!; most=0; \
	while now="$$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$$pid/status 2>/dev/null)" && [ -n "$$now" ]; do most=$$now; sleep 0.2; done; \
	wait $$pid || { cat "$$dir/said"; exit 1; }; cat "$$dir/said"; \
	echo "at most $$most kB resident"; test "$$most" -gt 0 && test "$$most" -lt 400000; grep -q 'limited by' "$$dir/said"

lint:
	@unformatted="$$(gofmt -l .)"; if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(STATICCHECK) ./...

# The assembly, and a check that what is checked in is what the generator writes.
generate:
	$(GO) generate ./internal/kernel

check-generate:
	@set -e; \
	rm -f $$(grep -l '^// Code generated' internal/kernel/*_amd64.s internal/kernel/*_amd64.go); \
	$(GO) generate ./internal/kernel; \
	changed="$$(git status --porcelain -- internal/kernel)"; \
	if [ -n "$$changed" ]; then echo "the generator does not write what is checked in:"; echo "$$changed"; exit 1; fi
	$(GO) vet ./internal/kernel
	cd internal/kernel/_asm && $(GO) vet . && $(GO) mod tidy -diff && test -z "$$(gofmt -l .)"

# go.mod and go.sum say exactly what the code imports.
tidy:
	$(GO) mod tidy -diff
	cd examples/external && $(GO) mod tidy -diff
	cd examples/gonum && $(GO) mod tidy -diff
	cd cmd/blskernel/_sbom && $(GO) mod tidy -diff
	cd docs/_licenses && $(GO) mod tidy -diff
	cd bench/report/browser && $(GO) mod tidy -diff
	$(GO) mod verify

# The race detector does not see the threads of OpenBLAS.
RACE = BLSKERNEL_OPENBLAS=/nonexistent/libopenblas.so.0 $(GO) test -race

# The packages with goroutines, and those that compute on theirs, without the longest of the tests that look at numbers alone.
race:
	$(RACE) -short -skip '^(TestGallery.*|TestGrowth|TestDgemv|TestDger|TestDsymvDspmv|TestDsyrDspr|TestDtrsv|TestImplementation|TestImplementationInherited|TestSymmetric|TestManyRows|TestPaperTables)$$' \
		. ./mat ./lapack ./blsupdate ./bls/... ./bench ./dataset/stream ./examples/server ./cmd/... $(addprefix ./internal/,atomicfile vfs testutil/faultfs testutil/faults testutil/fuzz gemm interrupt blas12 memory)

noasm:
	$(GO) test -tags noasm ./...

# The packages that compute, without cgo, on each kernel that this CPU can run but the first, which the other targets test,
# and the last, that in Go, which noasm tests.
kernels:
	@set -e; kernels="$$(CGO_ENABLED=0 $(GO) run ./cmd/blskernel info --json | sed -n '/"kernels"/,/]/s/^ *"\([a-z0-9]*\)",\{0,1\}$$/\1/p')"; \
	case "$$kernels" in *generic*) ;; *) echo "no list of kernels"; exit 1;; esac; \
	for kernel in $$(echo "$$kernels" | sed '1d;$$d'); do \
		echo "test with BLSKERNEL_KERNEL=$$kernel"; \
		CGO_ENABLED=0 BLSKERNEL_KERNEL=$$kernel $(GO) test . ./mat ./lapack ./blsupdate ./bls/... ./bench $(addprefix ./internal/,kernel blas12 gemm block isfinite); \
	done

cross:
	@set -e; for target in $(CROSS); do \
		echo "build $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build ./...; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) vet ./...; \
	done

# A module of its own that imports this one.
external:
	cd examples/external && $(GO) vet ./... && $(GO) run .

# Speeds against OpenBLAS and the peak of the CPU, as in docs/performance.md; half an hour on two cores.
bench:
	$(GO) run ./cmd/blskernel bench --op dgemm --shapes all
	$(GO) run ./cmd/blskernel bench --op dsyrk,dsyr2k,dsymm,dtrmm,dtrsm

# Predicted against measured times of updates, over the grid of settings on each backend; a quarter of an hour on two cores,
# which should have nothing else to do.
flops:
	$(GO) run ./cmd/blskernel flops --validate --calibrate

# The rates are measured in full and a plan made of them, in a folder that is thrown away.
rates:
	@set -e; cache="$$(mktemp -d)"; trap 'rm -rf "$$cache"' EXIT; export BLSKERNEL_CACHE="$$cache"; \
	$(GO) run ./cmd/blskernel plan -k 200 -q 20 -l 1000 -measure; \
	$(GO) run ./cmd/blskernel flops -k 200 -q 20 -l 1000

# A page of results: at small sizes from the embedded data, and at the paper's sizes, which takes hours and needs the files of
# MNIST, and of small NORB if they are to be had, in the folder DATA.
page:
	docs/results/measure.sh quick page

results:
	docs/results/measure.sh full docs/results $(DATA)

# The page in a headless browser: no message, nothing wider than a phone. Skipped where there is no browser.
check-page:
	cd bench/report/browser && $(GO) vet ./... && $(GO) test -count=1 -v ./...

# Every benchmark once, to see that they work.
benchsmoke:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./bench/benchmarks

# Both backends in turn, and benchstat's table; BENCH, COUNT, PKG and more are in the script.
benchcompare:
	bench/benchcompare.sh

# The same algorithms in GNU Octave; OCTAVEFLAGS are the scale and the folder of MNIST, as in bench/octave/compare.sh.
octave:
	bench/octave/compare.sh $(OCTAVEFLAGS)
