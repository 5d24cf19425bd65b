# The tests on CPUs of other kinds, without cgo and with the portable kernels: i386 for 32 bits, which an amd64 machine runs by
# itself, and in QEMU's user-mode emulation arm64, and s390x, which is big-endian. A test that starts its own program again does so by
# BLSKERNEL_EMULATOR; what tests start besides, such as the go command, runs as it is. All with -short, since the emulation is 10 to
# 50 times slower, and on 32 bits the portable kernels are several times slower than those of amd64.

QEMU_ARM64 ?= qemu-aarch64
QEMU_S390X ?= qemu-s390x

# The packages that read and write files, but for what computes in them, and the portable kernels. Of the packages that compute, what
# is about encoded states and models, which are read, written, refused where they are damaged, and go on.
S390X_FILES  = ./internal/codec ./internal/npy ./internal/kernel ./bls/modelfile ./dataset ./dataset/stream ./bench/result
S390X_STATES = ./bls ./blsupdate
S390X_ABOUT  = Encod|Decode|Unfitted|GoingOn|Kept|Foreign|RowKeys|OtherBackend|Invariants|Indefinite|Truncation|Alteration|Refused|Hostile|Golden|Elsewhere

.PHONY: portability i386 arm64 s390x

portability: i386 arm64 s390x

i386:
	CGO_ENABLED=0 GOARCH=386 $(GO) test -short ./...

# emulated tests what is in its third argument on an architecture, by an emulator. Where that is not there it fails.
define emulated
	@command -v '$(2)' >/dev/null || { echo "$(1) needs $(2), which is not in the path: install QEMU's user-mode emulation (Debian and Ubuntu: qemu-user)" >&2; exit 1; }
	CGO_ENABLED=0 GOARCH=$(1) BLSKERNEL_EMULATOR='$(2)' $(GO) test -short -timeout 30m -exec '$(2)' $(3)
endef

# What whole experiments come to, in accuracies and times, which takes minutes in emulation.
EXPERIMENTS = ^(TestMNIST|TestPaperTables|TestPaperSearch|TestValidateCosts|TestDigitsDifficulty|ExampleFitZCA)$$

# The longest first, so that both cores are busy to the end.
arm64:
	$(call emulated,arm64,$(QEMU_ARM64),-skip '$(EXPERIMENTS)' ./lapack ./blsupdate ./cmd/blskernel ./bench ./internal/gemm ./dataset/stream ./...)

s390x:
	$(call emulated,s390x,$(QEMU_S390X),-skip '^(TestDigitsDifficulty|TestZCA.*|ExampleFitZCA)$$' $(S390X_FILES))
	$(call emulated,s390x,$(QEMU_S390X),-run '$(S390X_ABOUT)' $(S390X_STATES))
