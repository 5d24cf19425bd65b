# Builds the release in dist from scratch: static programs, the manual pages, completions, bills of
# materials, license texts and checksums. The same commit and the same Go give the same bytes.

PLATFORMS ?= linux/amd64 linux/arm64 darwin/arm64 windows/amd64 windows/arm64
DIST      ?= dist

.PHONY: release man completions sbom check-release

release: export CGO_ENABLED = 0
release:
	@set -e; test -n "$(DIST)"; rm -rf "$(DIST)"; mkdir -p "$(DIST)"; \
	for platform in $(PLATFORMS); do \
		os=$${platform%/*}; arch=$${platform#*/}; suffix=; \
		if [ $$os = windows ]; then suffix=.exe; fi; \
		echo "build $$platform"; \
		$(if $(EMPTY),GOCACHE='$(EMPTY)') GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -buildvcs=true -ldflags '-s -w' -o "$(DIST)/blskernel-$$os-$$arch$$suffix" ./cmd/blskernel; \
	done
	@$(MAKE) --no-print-directory man completions sbom notices
	cp LICENSE CHANGELOG.md "$(DIST)"
	cd "$(DIST)" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | xargs sha256sum >SHA256SUMS

# Writes the manual pages, with the date of the commit.
man:
	$(GO) run -buildvcs=true ./cmd/blskernel man --date "$$(git log -1 --format=%cs)" "$(DIST)/man1"

completions:
	@set -e; mkdir -p "$(DIST)/completions"; for shell in bash zsh fish powershell; do \
		$(GO) run -buildvcs=true ./cmd/blskernel completion $$shell >"$(DIST)/completions/blskernel.$$shell"; \
	done

# Writes a CycloneDX bill of materials for each program: its modules and the standard library. sed
# removes the hash of the generator, which differs between machines.
sbom: export CGO_ENABLED = 0
sbom:
	@set -e; for program in "$(DIST)"/blskernel-*-*; do \
		case $$program in *.cdx.json) continue;; esac; \
		$(TOOL) cyclonedx-gomod bin -json -std -noserial -notimestamp "$$program" | sed '/^    "tools": \[$$/,/^    \],$$/d' >"$$program.cdx.json"; \
		grep -q '"purl": "pkg:golang/std@' "$$program.cdx.json"; \
	done

# Builds a release for all platforms, and one for the first platform, its program with an empty cache, and compares the two.
check-release:
	@set -e; first="$$(mktemp -d)"; second="$$(mktemp -d)"; trap 'rm -rf "$$first" "$$second"' EXIT; \
	$(MAKE) --no-print-directory release DIST="$$first/dist"; \
	$(MAKE) --no-print-directory release DIST="$$second/dist" EMPTY="$$second/cache" PLATFORMS="$(firstword $(PLATFORMS))"; \
	cd "$$first/dist"; sha256sum --quiet -c SHA256SUMS; \
	for program in $$(ls | grep 'arm64\(.exe\)\?$$'); do grep -q 'kernel/neon\.Gemm' "$$program" || { echo "$$program has no assembly kernels"; exit 1; }; done; \
	sha256sum --quiet -c "$$second/dist/SHA256SUMS"; \
	echo "every file of the second release is the same in the first"
