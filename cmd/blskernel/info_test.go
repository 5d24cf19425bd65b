package main

import (
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestInfo has JSON and text say the same.
func TestInfo(t *testing.T) {
	text, info := silent(t, "info"), object[information](t, silent(t, "info", "--json"))
	testutil.Contains(t, text, "\nself-test: "+info.SelfTest+" ", " KiB, "+info.Caches.Source+"\n")
	if want := "backend: " + info.Backend + " (" + info.Why + ")\n"; !strings.HasPrefix(text, want) || info.Threads < 1 ||
		info.Kernel == "" || len(info.SelfTest) != 16 || info.Caches.Source == "" {
		t.Errorf("JSON %+v does not go with %q", info, text)
	}
}
