# Faults in full: every operation on files of every command that writes some, every moment at which a command can be
# interrupted, signals and kills at random moments, backends and readers that panic, and refusals for want of memory. Each
# test says how many. Some ten minutes on two cores.
.PHONY: faults
faults:
	BLSKERNEL_LONG=1 $(GO) test -count=1 -v -run 'Fault|FullDisk|Adopt|Kept|Leftover' ./internal/disk ./internal/faults ./internal/atomicfile ./bls/modelfile ./dataset/catalog ./dataset/stream
	BLSKERNEL_LONG=1 $(GO) test -count=1 -v -run 'Panic|Memory|RatesFaults' ./internal/memory ./dataset/stream ./bls ./blsupdate ./bench
	BLSKERNEL_LONG=1 $(GO) test -count=1 -v -timeout 60m -run 'Fault|FullDisk|ReadErrors|Stop|Signal|Kill|Panic' ./cmd/blskernel
