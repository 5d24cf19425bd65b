# Everything that takes too long for CI: make verify.

.PHONY: verify long faults soak soak-race fuzz mutants large-csv scaleout reachable-vuln emulated

# verify takes more than an hour on two cores and includes every step that CI may leave out. Run it
# before a release. It needs the packages that .ci/run installs, and a cross compiler for the arm64
# wheel (Debian and Ubuntu: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross). It skips MNIST if the files
# are missing (BLSKERNEL_MNIST, or ../shared/data/mnist), and the search for vulnerabilities if the
# database cannot be reached. Coverage is measured with OpenBLAS, on the short form of all tests but
# one, because counting slows tests down: the long form of the command's tests would take most of an
# hour. Quick checks come first.
#
# A step that has passed leaves a file in .verify, so that make verify continues after an
# interruption. On another commit it starts over, and a commit made meanwhile ends it.
STEPS  = rates large-csv gate check-release licenses reachable-vuln python check-wheel matlab scaleout cover long openblas soak-race fuzz emulated mutants
COMMIT := $(shell git rev-parse HEAD)
PASSED := .verify/$(COMMIT)

# At the end it records the commit that has passed. CI skips a step if nothing that it depends on has
# changed since.
verify: export BLSKERNEL_LONG = 1
verify: $(STEPS:%=$(PASSED)/%)
	echo $(COMMIT) >.ci/verified

$(PASSED)/cover $(PASSED)/openblas $(PASSED)/emulated $(PASSED)/mutants: export BLSKERNEL_LONG =
$(PASSED)/mutants: LEAST = 0.6
$(PASSED)/fuzz: export FUZZTIME = 5000x

$(PASSED)/%:
	git diff --quiet $(COMMIT)
	$(MAKE) --no-print-directory $* LEAST=$(LEAST)
	@mkdir -p $(@D) && touch $@

reachable-vuln:
	.ci/vuln || test $$? = 75

# The long form of all tests. The longest come first, so that no CPU waits for them at the end.
long:
	BLSKERNEL_LONG=1 CGO_ENABLED=1 $(GO) test -count=1 -timeout 2h ./lapack ./cmd/blskernel ./internal/soak ./...

soak-race:
	$(RACE) -count=1 -timeout 1h ./internal/soak

emulated:
	$(MAKE) --no-print-directory -j3 --output-sync=target arm64 i386 s390x golden-s390x cross

# Fault injection: every file operation fails, every command is interrupted at every moment, backends
# panic, memory is refused. With -v each test prints the number of its faults.
faults:
	BLSKERNEL_LONG=1 $(GO) test -count=1 -timeout 1h -v ./internal/io/atomicfile ./internal/testutil/faultfs ./internal/io/memory ./bls/modelfile ./blsupdate ./bls ./cmd/blskernel

# Runs everything concurrently for a long time. Every result must be the same as in a run alone, and no
# goroutine, file or memory may leak.
soak:
	BLSKERNEL_LONG=1 $(GO) test -count=1 -timeout 2h -v ./internal/soak
	BLSKERNEL_LONG=1 $(MAKE) --no-print-directory soak-race

# Every fuzz target, one after another:
#
#	make fuzz                       20000 executions each
#	make fuzz FUZZTIME=5m           five minutes each
#	make fuzz FUZZPACKAGES=./bls    the targets of one package
#
# When the time is up, Go before 1.27 may fail with "context deadline exceeded" without an input
# (go.dev/issue/75804). That is not a finding. With a number of executions there is no deadline.
FUZZTIME     ?= 20000x
FUZZPACKAGES ?= ./...

fuzz:
	@set -e; log="$$(mktemp)"; trap 'rm -f "$$log"' EXIT; failed=; targets=0; \
	$(GO) test $(FUZZEXEC) -list '^Fuzz' $(FUZZPACKAGES) >"$$log" || { cat "$$log"; exit 1; }; \
	for target in $$(awk '/^Fuzz/ { name[++n] = $$1 } /^ok/ { for (; n; n--) print $$2 "#" name[n] }' "$$log"); do \
		targets=$$((targets + 1)); echo "$$target"; \
		$(GO) test $(FUZZEXEC) -run '^$$' -fuzz "^$${target#*#}\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x -parallel 2 "$${target%#*}" >"$$log" 2>&1 || { cat "$$log"; failed="$$failed $$target"; }; \
	done; \
	echo "$$targets fuzz targets of $(FUZZTIME)$${failed:+, failed:$$failed}"; test $$targets != 0 && test -z "$$failed"

# Makes N changes to the code of each of eight packages, and prints the changes that no test finds:
#
#	make mutants                                   3 in each package, others each time
#	make mutants N=60 MUTANTS='-seed 1 -out FILE'  a table for docs/reliability.md, in parts; takes hours
N     ?= 3
LEAST ?= 0

mutants:
	$(GO) -C make/mutants run . -n $(N) -least $(LEAST) $(MUTANTS)

# Trains from the 919 MB file that docs/performance.md makes. Peak memory (VmHWM, only on Linux) must stay below 400 MB.
large-csv:
	@set -e; dir="$$(mktemp -d)"; trap 'rm -rf "$$dir"' EXIT; $(GO) build -o "$$dir/blskernel" ./cmd/blskernel; \
	sed -n "/^    awk 'BEGIN {$$/,/big.csv$$/s/^    //p" docs/performance.md >"$$dir/make.sh"; \
	cd "$$dir"; echo "make big.csv"; sh -e make.sh; test "$$(wc -l <big.csv)" = 2000001; \
	./blskernel train --out big.bls --target y --task regression --backend pure big.csv >said 2>&1 & \
	pid=$$!; most=0; \
	while now="$$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$$pid/status 2>/dev/null)" && [ -n "$$now" ]; do most=$$now; sleep 0.2; done; \
	wait $$pid || { cat "$$dir/said"; exit 1; }; cat "$$dir/said"; \
	echo "at most $$most kB resident"; test "$$most" -gt 0 && test "$$most" -lt 400000; grep -q 'of the time computing' "$$dir/said"

# The module scaleout: Apache Beam on Prism, with the workers in the same process and in a separate
# process.
scaleout:
	cd scaleout && $(GO) vet ./... && $(TOOL) staticcheck ./... && $(GO) test -timeout 1h ./...
