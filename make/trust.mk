# Checks of licenses, known vulnerabilities, kernel speed and test coverage.

.PHONY: vuln licenses notices gate cover

# .ci/vuln exits with status 75 if the database cannot be reached.
vuln:
	.ci/vuln

# Every dependency of every go.mod file, including tests and tools, must have one of these licenses. CONTRIBUTING.md
# lists them, and the license files that go-licenses does not read.
LICENSES = Apache-2.0,BSD-2-Clause,BSD-3-Clause,BSL-1.0,ISC,MIT,Zlib
OURS     = --ignore blskernel --ignore example.com

licenses:
	@set -e; work="$$(mktemp -d)"; trap 'rm -rf "$$work"' EXIT; \
	$(GO) build -modfile=make/tools/go.mod -o "$$work/go-licenses" github.com/google/go-licenses/v2; \
	for dir in $(MODULES); do for os in linux darwin windows; do \
		packages=./...; if [ $$dir = make/tools ]; then packages=tool; fi; \
		echo "licenses of $$dir on $$os"; \
		(cd $$dir; $(GO) mod download; GOOS=$$os CGO_ENABLED=0 "$$work/go-licenses" check --include_tests $(OURS) --allowed_licenses $(LICENSES) $$packages) \
			>"$$work/log" 2>&1 || { grep -v '^/\|non-Go code' "$$work/log"; exit 1; }; \
	done; done

# Collects the license texts of Go and of the modules in the command, for distribution with the programs.
notices:
	@set -e; mkdir -p "$(DIST)"; { \
	echo "The programs of this release contain blskernel and parts of the following."; \
	{ echo "Go $$($(GO) env GOVERSION) $$($(GO) env GOROOT)"; \
	for os in linux darwin windows; do CGO_ENABLED=0 GOOS=$$os $(GO) list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/blskernel; done | LC_ALL=C sort -u; \
	} | while read -r path version dir; do \
		(cd "$$dir"; ls -d LICEN[CS]E* COPYING* NOTICE* THIRD_PARTY_LICENSES/* 2>/dev/null || true) | LC_ALL=C sort | while read -r file; do \
			printf '\n%s\n%s %s: %s\n\n' ======== "$$path" "$$version" "$$file"; cat "$$dir/$$file"; \
		done; \
	done; } >"$(DIST)/THIRD_PARTY_LICENSES"

# Measures what share of its FMA peak each kernel of this CPU reaches, and compares it with bench/gate/floors.txt.
# This takes 15 seconds, or a minute more on a machine whose caches others use.
gate:
	$(GO) run ./bench/gate $(GATEFLAGS)

# Requires that the tests of all packages, with cgo and without, execute at least 90 percent of the statements of
# each package, or the percentage in make/cover.txt. The profile includes the commands that tests start as
# processes. The command flops has a test only in the long form, since it measures rates for 20 seconds.
cover:
	@set -e; work="$$(mktemp -d)"; trap 'rm -rf "$$work"' EXIT; \
	CGO_ENABLED=0 $(GO) test -count=1 -coverpkg=./... -coverprofile="$$work/0" . ./internal/testutil/backends >"$$work/log" 2>&1 || { cat "$$work/log"; exit 1; }; \
	CGO_ENABLED=1 $(GO) test -count=1 -timeout 2h -coverpkg=./... -coverprofile="$$work/1" ./... >"$$work/log" 2>&1 || { cat "$$work/log"; exit 1; }; \
	BLSKERNEL_LONG=1 CGO_ENABLED=1 $(GO) test -count=1 -coverpkg=./... -coverprofile="$$work/2" -run '^TestScripts$$/^flops$$' ./cmd/blskernel >"$$work/log" 2>&1 || { cat "$$work/log"; exit 1; }; \
	awk 'FILENAME == ARGV[1] { if (!/^#/ && NF) { floor[$$1] = $$2 } next } \
		$$1 != "mode:" { size[$$1] = $$2; ran[$$1] += $$3 } \
		END { for (at in size) { p = at; sub("/[^/]*$$", "", p); all[p] += size[at]; if (ran[at]) done[p] += size[at] } \
			for (p in all) if (all[p]) { share = 100 * done[p] / all[p]; least = p in floor ? floor[p] : 90; if (share < least) { print p ": tests execute " share "% of the statements; want at least " least "%"; bad = 1 } \
				if (p in floor && share >= 90) { print p ": tests execute " share "% of the statements; remove its line from make/cover.txt"; bad = 1 } } \
			for (p in floor) if (!(p in all)) { print "make/cover.txt has a line for " p ", which has no statements"; bad = 1 } exit bad }' \
		make/cover.txt "$$work/0" "$$work/1" "$$work/2"
