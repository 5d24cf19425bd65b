# Every fuzz target of the module, one after another: all readers of files, and what else is fuzzed. Which there are go test says,
# so that none can be forgotten.
#
#	make fuzz                       20000 executions each
#	make fuzz FUZZTIME=2000x        2000 executions each, as in CI
#	make fuzz FUZZTIME=5m           five minutes each
#	make fuzz FUZZPACKAGES=./bls    those of one package
#
# An input for which a reader does not end is a fault after a minute, by internal/testutil/faults, if there is that minute: where a time is
# over while an input is at work, the fuzzer takes it for the end of the work and not for a fault. So a time is to be of several
# minutes, and what has less of it counts executions.
#
# An input that fails is moved out of the tree, to a folder that is named, with what go test says of it: put it into
# testdata/fuzz/TARGET of its package when the fault is mended. Inputs that are new and do not fail stay in Go's cache.
#
# A time that is over while an input is at work is no fault, but Go before 1.27 may say so (go.dev/issue/75804): a target that fails
# with nothing but "context deadline exceeded", and no input, has passed. With a number of executions there is no deadline.

FUZZTIME     ?= 20000x
FUZZWORKERS  ?= 2
FUZZPACKAGES ?= ./...

.PHONY: fuzz

fuzz:
	@set -e; work="$$(mktemp -d)"; trap 'rm -rf "$$work"' EXIT; \
	$(GO) test -list '^Fuzz' $(FUZZPACKAGES) >"$$work/list" || { cat "$$work/list"; exit 1; }; \
	awk '/^Fuzz/ { names[++n] = $$1 } /^ok/ { for (i = 1; i <= n; i++) print $$2, names[i]; n = 0 }' "$$work/list" >"$$work/targets"; \
	test -s "$$work/targets" || { echo "no fuzz target was found in $(FUZZPACKAGES)"; exit 1; }; \
	total=0; targets=0; failed=; \
	while read -r package target; do \
		corpus="$$($(GO) list -f '{{.Dir}}' "$$package")/testdata/fuzz/$$target"; \
		ls "$$corpus" >"$$work/before" 2>/dev/null || true; \
		status=0; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x -parallel $(FUZZWORKERS) "$$package" </dev/null >"$$work/log" 2>&1 || status=$$?; \
		done="$$(sed -n 's/^fuzz: elapsed: [^,]*, [a-z ]*: \([0-9]*\)[ /].*/\1/p' "$$work/log" | tail -n 1)"; \
		printf '%-55s %10s executions\n' "$$package.$$target" "$${done:-no}"; \
		targets=$$((targets + 1)); total=$$((total + $${done:-0})); \
		ls "$$corpus" >"$$work/after" 2>/dev/null || true; \
		grep -vxF -f "$$work/before" "$$work/after" >"$$work/new" || true; \
		if [ ! -s "$$work/new" ] && [ "$$(sed -n '/^--- FAIL/ { n; p; q; }' "$$work/log")" = "    context deadline exceeded" ]; then status=0; fi; \
		if [ $$status != 0 ] || [ "$${done:-0}" = 0 ]; then \
			failed="$$failed $$package.$$target"; \
			cat "$$work/log"; \
		fi; \
		if [ -s "$$work/new" ]; then \
			found="$$(mktemp -d)"; \
			while read -r file; do mv "$$corpus/$$file" "$$found"; done <"$$work/new"; \
			rmdir "$$corpus" "$${corpus%/*}" "$${corpus%/*/*}" 2>/dev/null || true; \
			echo "the input is now in $$found"; \
		fi; \
	done <"$$work/targets"; \
	echo "$$targets fuzz targets, $$total executions"; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi
