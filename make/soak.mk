# Everything at once, as often as a process does it in an hour that is asked for each of it every three seconds, with every result
# compared with that of a lone run, and no goroutine, file or memory lost; and some rounds of it under the race detector.
.PHONY: soak

soak:
	$(call long,TestSoak,.,-v -timeout 2h)
	$(RACE) -count=1 -timeout 1h -v -run TestSoak .
