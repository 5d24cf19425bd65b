# The module scaleout, which has a go.mod of its own: Apache Beam brings more than 170 modules, and none is to reach those who
# use the library. Its tests start processes of their own and talk to them on the loopback.

.PHONY: scaleout scaleout-mnist

scaleout:
	cd scaleout && $(GO) vet ./... && $(STATICCHECK) ./... && $(GO) mod tidy -diff
	cd scaleout && $(GO) test -timeout 5m ./...

# MNIST in 60 shards, where its files are: what make verify has of this module.
scaleout-mnist:
	cd scaleout && BLSKERNEL_LONG=1 $(GO) test -count=1 -timeout 1h -v -run 'TestMNIST' .
