# What the project can be held to: no known vulnerabilities, licenses that are compatible, kernels that do not become slower, tests that
# execute the code.

.PHONY: vuln licenses notices gate cover

# The Go vulnerability database on all modules. .ci/vuln by itself has an exit status of its own, 75, where the database cannot be reached.
vuln:
	.ci/vuln

# The dependencies of all go.mod files, and their licenses, are those of docs/licenses.md, and all of them are compatible.
licenses:
	cd docs/_licenses && $(GO) vet . && $(GO) mod tidy -diff && $(GO) test -count=1 . && test -z "$$(gofmt -l .)" && $(GO) run .

# The license texts of what is compiled into the command, which go with its programs.
notices:
	@mkdir -p "$(DIST)"
	cd docs/_licenses && $(GO) run . -texts >"$(abspath $(DIST))/THIRD_PARTY_LICENSES"

# The share of its FMA peak that each kernel of this CPU reaches, against bench/gate/floors.txt; GATEFLAGS as in go run ./bench/gate -help.
# A quarter of a minute, in which the machine may have other work to do.
gate:
	$(GO) run ./bench/gate $(GATEFLAGS)

# How much of each package the tests of all packages execute, and those of the backends without cgo too, since no file is compiled only
# then; 90 percent at least, but for the exceptions with their reasons in internal/cover/exceptions.txt. COVERFLAGS=-uncovered=all lists
# what is not executed.
cover:
	@set -e; profiles="$$(mktemp -d)"; trap 'rm -rf "$$profiles"' EXIT; \
	for build in '1 ./...' '0 .'; do \
		cgo="$${build% *}"; echo "test $${build#* } with coverage, CGO_ENABLED=$$cgo"; \
		CGO_ENABLED=$$cgo $(GO) test -count=1 -coverpkg=./... -coverprofile="$$profiles/cgo$$cgo" "$${build#* }" >"$$profiles/said" 2>&1 || { cat "$$profiles/said"; exit 1; }; \
	done; \
	$(GO) run ./internal/cover $(COVERFLAGS) "$$profiles/cgo1" "$$profiles/cgo0"
