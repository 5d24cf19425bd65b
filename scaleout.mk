# The module scaleout, which has a go.mod of its own: Apache Beam brings more than 170 modules, and none is to reach those who
# use the library. Its tests start processes of their own and talk to them on the loopback.

.PHONY: scaleout

scaleout:
	cd scaleout && $(GO) vet ./... && $(STATICCHECK) ./... && $(GO) mod tidy -diff
	cd scaleout && $(GO) test -timeout 5m ./...
