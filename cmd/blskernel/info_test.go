package main

import (
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/info"
	"blskernel/internal/testutil"
)

// TestInfo has JSON and text say the same.
func TestInfo(t *testing.T) {
	text, told := silent(t, "info"), object[info.Information](t, silent(t, "info", "--json"))
	testutil.Contains(t, text, "\nself-test: "+told.SelfTest+" ", " KiB, "+told.Caches.Source+"\n")
	if want := "backend: " + told.Backend + " (" + told.Why + ")\n"; !strings.HasPrefix(text, want) || told.Threads < 1 ||
		told.Kernel == "" || len(told.SelfTest) != 16 || told.Caches.Source == "" {
		t.Errorf("JSON %+v does not go with %q", told, text)
	}
}
