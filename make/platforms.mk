# Other operating systems and CPUs, without cgo: build constraints by go vet, and tests on i386, which amd64 runs by itself, and on
# arm64 and s390x (big-endian) in QEMU's user-mode emulation, 10 to 50 times slower. A test that starts its own program again
# does so by BLSKERNEL_EMULATOR.

CROSS      ?= $(addsuffix /arm64,linux darwin windows freebsd netbsd openbsd android) windows/amd64
QEMU_ARM64 ?= qemu-aarch64
QEMU_S390X ?= qemu-s390x

.PHONY: cross portability i386 arm64 arm64-kernels arm64-fuzz s390x

cross:
	@set -e; for target in $(CROSS); do \
		echo "vet $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) vet ./...; \
	done

portability: cross i386 arm64 s390x

# Without tests that write much text: sizes near that of an int have tests of their own.
i386:
	CGO_ENABLED=0 GOARCH=386 $(GO) vet ./...
	CGO_ENABLED=0 GOARCH=386 $(GO) test -short -skip '$(CHOICES)|BadLongText|BadCells|PieceBorders' $(PRODUCTS) ./bls/... ./dataset/...

# emulated tests what its third argument says on an architecture by an emulator.
define emulated
	@command -v '$(2)' >/dev/null || { echo "$(1) needs $(2): install QEMU's user-mode emulation (Debian and Ubuntu: qemu-user)" >&2; exit 1; }
	CGO_ENABLED=0 GOARCH=$(1) BLSKERNEL_EMULATOR='$(2)' $(GO) test -timeout 30m -exec '$(2)' $(3)
endef

arm64 arm64-kernels arm64-fuzz golden-arm64: export BLSKERNEL_REQUIRE = neon

# The golden hashes, gonum's suites, all shapes and all that runs on each kernel run on neon and on generic, which short tests leave
# out. The examples of package bls would take minutes. The longest first, so that both cores are busy to the end. Pages have 4 KiB,
# but in the last part 64.
ON_KERNELS = $(addprefix blskernel/,internal/golden internal/kernel internal/block mat)

arm64: golden-arm64 arm64-fuzz
	$(call emulated,arm64,$(QEMU_ARM64),-short -skip '^Example' ./lapack/... ./blsupdate/... $(filter-out $(ON_KERNELS),$(COMPUTE)) ./bls/modelfile ./dataset/...)
	$(call emulated,arm64,$(QEMU_ARM64),-skip 'Golden|Fused|MathAndGonum|PureIsOurs' $(ON_KERNELS))
	$(call emulated,arm64,$(QEMU_ARM64),-run 'Shapes|Implementation$$|Dense' ./lapack ./internal/gemm)
	$(call emulated,arm64,$(QEMU_ARM64),-exec '$(QEMU_ARM64) -p 65536' -short ./internal/kernel ./internal/memory ./internal/testutil/guard)

# What CI has time for.
arm64-kernels:
	$(call emulated,arm64,$(QEMU_ARM64),-short -skip '^Fuzz|ParallelAllocs|PoolSeats' ./internal/gemm ./internal/blas12 ./internal/kernel ./internal/backend)

arm64-fuzz:
	CGO_ENABLED=0 GOARCH=arm64 $(MAKE) --no-print-directory fuzz FUZZTIME=4000x FUZZPACKAGES='./internal/gemm ./internal/kernel ./internal/blas12' \
		FUZZEXEC="-exec '$(CURDIR)/make/emulate $(QEMU_ARM64)'"

# What depends on the order of bytes: the readers and writers of files but of text, and encoded states
# and models.
s390x:
	$(call emulated,s390x,$(QEMU_S390X),-short -skip '^Example|DigitsDifficulty|ZCA|CSV|Text|Pairs|Borders|Cells|Replaced' ./internal/codec/... ./internal/npy/... ./bls/modelfile ./dataset/...)
	$(call emulated,s390x,$(QEMU_S390X),-short -run 'Encod|Decode|Golden|Elsewhere|Foreign|RowKeys' ./bls/... ./blsupdate/...)

# The golden hashes (docs/reproducibility.md): every kernel of this CPU on one thread and on two,
# without assembly, and on machines in emulation. With SHORT=-short, as in CI, the portable kernel is
# left out if there is another, in emulation the largest orders and most models, and on s390x, which
# differs by the order of bytes, what is longest.
# GODEBUG is that of go.mod, whatever the environment says.
GOLDEN = $(SHORT) -run Golden -count=1 ./internal/golden ./cmd/blskernel

.PHONY: golden golden-here golden-arm64 golden-s390x

golden: golden-here golden-arm64 golden-s390x

golden-here: export GODEBUG =
golden-here:
	CGO_ENABLED=0 $(GO) test -cpu 1,2 $(GOLDEN)
	CGO_ENABLED=0 $(GO) test -tags noasm $(GOLDEN)

golden-arm64 golden-s390x: export GODEBUG =
golden-arm64:
	$(call emulated,arm64,$(QEMU_ARM64),$(GOLDEN))

golden-s390x:
	$(call emulated,s390x,$(QEMU_S390X),$(if $(SHORT),-skip 'Updates|SVD|Level3|Eigen|Shards' $(filter-out ./cmd/%,$(GOLDEN)),$(GOLDEN)))
