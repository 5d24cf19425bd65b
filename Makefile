# The checks of the project. .ci/run calls these targets under its different builds.

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
CROSS       ?= linux/arm64 darwin/arm64 windows/amd64 linux/386

.PHONY: all test demo verify lint race noasm cross external tidy bench

all: lint test

# The README's two commands.
test:
	$(GO) test ./...

demo:
	$(GO) run ./cmd/blskernel demo

# The long suite: full-size training on MNIST, where its files are (BLSKERNEL_MNIST, or
# ../shared/data/mnist beside the checkout). About an hour on two cores with OpenBLAS.
verify:
	BLSKERNEL_LONG=1 $(GO) test -count=1 -timeout 4h -v -run MNIST ./bench

lint:
	@unformatted="$$(gofmt -l .)"; if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(STATICCHECK) ./...

# go.mod and go.sum say exactly what the code imports.
tidy:
	$(GO) mod tidy -diff
	cd examples/external && $(GO) mod tidy -diff
	$(GO) mod verify

# The packages with goroutines.
race:
	$(GO) test -race -short . ./mat ./blsupdate ./bls ./bench ./internal/... ./cmd/...

noasm:
	$(GO) test -tags noasm ./...

cross:
	@set -e; for target in $(CROSS); do \
		echo "build $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build ./...; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) vet ./...; \
	done

# A module of its own that imports this one.
external:
	cd examples/external && $(GO) vet ./... && $(GO) run .

bench:
	$(GO) test -run '^$$' -bench . ./internal/gemm
