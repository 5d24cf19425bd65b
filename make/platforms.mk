# Other operating systems and CPUs, without cgo. go vet checks build constraints. Tests run on i386, which most amd64
# machines run directly, and on arm64 and s390x (big-endian) in QEMU's user-mode emulation, 10 to 50 times slower.

CROSS      ?= $(addsuffix /arm64,linux darwin windows freebsd netbsd openbsd android) windows/amd64
QEMU_ARM64 ?= qemu-aarch64
QEMU_I386  ?= qemu-i386
QEMU_S390X ?= qemu-s390x

.PHONY: cross portability i386 i386-sizes arm64 arm64-kernels arm64-fuzz s390x

cross:
	@set -e; for target in $(CROSS); do \
		echo "vet $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) vet ./...; \
	done

portability: cross i386 arm64 s390x

INTERNAL = $(filter-out %/docs,$(shell $(GO) list ./internal/...))

# Tests with sizes near the largest int: arguments, memory, file headers. CI has time only for i386-sizes, with fewer packages.
#
# Some Linux kernels do not run 32-bit programs. There, QEMU runs the packages of i386-sizes for both targets. Go's signal
# handlers crash in QEMU, so preemption by signals is off. Packages whose tests cause signals are left out; the end of a
# child process causes one.
SIZES    = . ./mat ./bls/model... ./dataset/... ./internal/io/... ./internal/linalg/backend ./internal/linalg/check
I386     = . ./mat ./bls/... ./dataset/... $(INTERNAL)
SIGNALS  = blskernel blskernel/internal/io/interrupt blskernel/internal/testutil/guard $(addprefix blskernel/,$(sort $(patsubst %/,%,$(dir $(shell git grep -lE '"os/exec"|/numpytest"' -- '*_test.go')))))

i386: export CGO_ENABLED = 0
i386: export GOARCH = 386
i386:
	$(GO) vet ./...
	@if $(GO) test -run '^$$' ./internal/io/names >/dev/null 2>&1; then $(GO) test -timeout 30m $(I386); \
	else \
		echo 'this machine runs no 32-bit programs: QEMU runs the packages whose tests cause no signals'; \
		$(GO) test -timeout 30m -exec 'env GODEBUG=asyncpreemptoff=1 $(QEMU_I386)' \
			$(filter-out $(SIGNALS),$(shell $(GO) list $(SIZES))); \
	fi

i386-sizes: I386 = $(SIZES)
i386-sizes: i386

# emulated runs go test for the architecture $(1) in the emulator $(2), with the arguments $(3). A
# test that starts its own program again does so with BLSKERNEL_EMULATOR.
define emulated
	@command -v '$(2)' >/dev/null || { echo "$(1) needs $(2): install QEMU's user-mode emulation (Debian and Ubuntu: qemu-user)" >&2; exit 1; }
	CGO_ENABLED=0 GOARCH=$(1) BLSKERNEL_EMULATOR='$(2)' $(GO) test -timeout 30m -exec '$(2)' $(3)
endef

arm64 arm64-kernels arm64-fuzz golden-arm64: export BLSKERNEL_REQUIRE = neon

# What depends on the CPU or the system: the kernels, the products and reductions built on them, and readers and writers of files.
# Higher-level code gives the same bits on every kernel: the golden hashes check this. Memory pages have 4 KiB, in the last
# command 64 KiB.
ARM64 = . ./mat ./bls/modelfile ./dataset/... ./internal/io/... $(KERNELS) $(addprefix ./internal/linalg/,blas cpu detmath floats workers)

arm64: golden-arm64 arm64-fuzz
	$(call emulated,arm64,$(QEMU_ARM64),$(ARM64))
	$(call emulated,arm64,$(QEMU_ARM64),-exec '$(QEMU_ARM64) -p 65536' ./internal/linalg/kernel ./internal/io/memory ./internal/testutil/guard)

# The part of arm64 that CI has time for.
arm64-kernels:
	$(call emulated,arm64,$(QEMU_ARM64),./internal/linalg/kernel)

arm64-fuzz:
	CGO_ENABLED=0 GOARCH=arm64 $(MAKE) --no-print-directory fuzz FUZZTIME=4000x FUZZPACKAGES='./internal/linalg/gemm ./internal/linalg/kernel ./internal/linalg/blas12' \
		FUZZEXEC="-exec '$(CURDIR)/make/emulate $(QEMU_ARM64)'"

# Packages that depend on the byte order: readers and writers of files, and encoded states and models,
# which internal/testutil/golden hashes. Examples are left out, because they only compute.
s390x:
	$(call emulated,s390x,$(QEMU_S390X),-run '^(Test|Fuzz)' ./internal/io/codec/... ./internal/io/npy/... ./bls/modelfile ./dataset/...)

# The golden hashes (docs/reproducibility.md): with every kernel of this CPU on one thread and on two,
# without assembly, and on emulated machines. These check fewer hashes unless BLSKERNEL_LONG is 1.
# GODEBUG is as in go.mod, whatever the environment says.
GOLDEN = -run '^TestGolden' -count=1

.PHONY: golden golden-here golden-arm64 golden-s390x

golden: golden-here golden-arm64 golden-s390x

golden-here: export GODEBUG =
golden-here:
	CGO_ENABLED=0 $(GO) test -cpu 1,2 $(GOLDEN) ./internal/testutil/golden ./bench ./cmd/blskernel
	CGO_ENABLED=0 $(GO) test -tags noasm $(GOLDEN) ./internal/testutil/golden ./bench ./cmd/blskernel

golden-arm64 golden-s390x: export GODEBUG =
golden-arm64:
	$(call emulated,arm64,$(QEMU_ARM64),$(GOLDEN) ./internal/testutil/golden ./bench ./cmd/blskernel)

golden-s390x:
	$(call emulated,s390x,$(QEMU_S390X),$(GOLDEN) ./internal/testutil/golden ./bench)
