# The release: static programs, the manual page, completions, the bill of materials and checksums, in dist, which is made
# anew. All of it is the same to the byte for the same commit and the same Go; check-release builds twice and compares.

PLATFORMS ?= linux/amd64 linux/arm64 darwin/arm64 windows/amd64
DIST      ?= dist

.PHONY: release man completions sbom check-release check-docs check-links

release: export CGO_ENABLED = 0
release:
	@set -e; test -n "$(DIST)"; rm -rf "$(DIST)"; mkdir -p "$(DIST)"; \
	for platform in $(PLATFORMS); do \
		os=$${platform%/*}; arch=$${platform#*/}; suffix=; \
		if [ $$os = windows ]; then suffix=.exe; fi; \
		echo "build $$platform"; \
		GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -buildvcs=true -ldflags '-s -w' -o "$(DIST)/blskernel-$$os-$$arch$$suffix" ./cmd/blskernel; \
	done
	@$(MAKE) --no-print-directory man completions sbom notices
	cp LICENSE CHANGELOG.md "$(DIST)"
	cd "$(DIST)" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | xargs sha256sum >SHA256SUMS

# The date is that of the commit.
man:
	@mkdir -p "$(DIST)"
	$(GO) run -buildvcs=true ./cmd/blskernel man --date "$$(git log -1 --format=%cs)" >"$(DIST)/blskernel.1"

completions:
	@set -e; mkdir -p "$(DIST)/completions"; for shell in bash zsh fish powershell; do \
		echo "completion for $$shell"; \
		$(GO) run -buildvcs=true ./cmd/blskernel completion $$shell >"$(DIST)/completions/blskernel.$$shell"; \
	done

# CycloneDX, of the modules and the standard library that are in each program of the release.
sbom: export CGO_ENABLED = 0
sbom:
	@set -e; cd cmd/blskernel/_sbom; for program in $(abspath $(DIST))/blskernel-*-*; do \
		case $$program in *.cdx.json) continue;; esac; \
		echo "bill of materials of $${program##*/}"; \
		$(GO) run . "$$program" >"$$program.cdx.json"; \
	done

# Two releases of one commit are the same. The second is made with an empty cache, so that nothing is compared with itself, and only of
# the first platform, since the library compiled anew is what takes the time: all that it has is in the first as well.
check-release:
	cd cmd/blskernel/_sbom && $(GO) vet . && $(GO) mod tidy -diff && $(GO) test . && test -z "$$(gofmt -l .)"
	@set -e; first="$$(mktemp -d)"; second="$$(mktemp -d)"; trap 'rm -rf "$$first" "$$second"' EXIT; \
	$(MAKE) --no-print-directory release DIST="$$first/dist"; \
	GOCACHE="$$second/cache" $(MAKE) --no-print-directory release DIST="$$second/dist" PLATFORMS="$(firstword $(PLATFORMS))"; \
	cd "$$first/dist"; sha256sum --quiet -c SHA256SUMS; \
	sha256sum --quiet -c "$$second/dist/SHA256SUMS"; \
	echo "both releases are the same"

# The documentation: links within it, code, commands, the tutorial and the README's commands, and the modules beside the main one.
check-docs:
	$(GO) test -count=1 ./internal/docs ./examples/server
	cd examples/gonum && $(GO) vet ./... && $(GO) mod tidy -diff && $(GO) test -count=1 ./... && $(GO) run . -n 100 -rounds 1
	cd cmd/blskernel/_sbom && $(GO) vet ./... && $(GO) test -count=1 ./...

# The links out of it, each asked for once, which needs the network.
check-links:
	BLSKERNEL_LINKS=1 $(GO) test -count=1 -v -run TestExternalLinks ./internal/docs
