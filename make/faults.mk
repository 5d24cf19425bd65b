# Faults in full: every operation on files of every command that writes some, every moment at which a command can be
# interrupted, signals and kills at random moments, backends and readers that panic, and refusals for want of memory. Each
# test says how many. Some ten minutes on two cores.
.PHONY: faults
faults:
	$(call long,EveryOperation|Fault|FullDisk|Adopt|Kept|Leftover,./internal/vfs ./internal/testutil/faultfs ./internal/atomicfile ./bls/modelfile ./dataset/stream,-v)
	$(call long,Panic|Memory|Limit|Garbage|RatesFaults,./internal/memory ./dataset/stream ./bls ./blsupdate ./bench,-v)
	$(call long,Fault|FullDisk|ReadErrors|Stop|Signal|Kill|Panic,./cmd/blskernel,-v)
