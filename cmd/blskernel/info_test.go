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

// TestInfoEscapes prints what the environment has in a message without what a terminal obeys.
func TestInfoEscapes(t *testing.T) {
	var b strings.Builder
	info := information{Missing: map[string]string{"openblas": "/x\x1b[31m\nkernel: fast"}}
	testutil.NoError(t, info.print(&b))
	testutil.Contains(t, b.String(), "not usable: /x\\x1b[31m\\nkernel: fast\n")
}
