package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/internal/testutil"

	"github.com/spf13/cobra"
)

// TestManPages has a page for every command with its flags, and lets groff read it if that is
// installed.
func TestManPages(t *testing.T) {
	dirs := []string{filepath.Join(t.TempDir(), "man1"), t.TempDir()}
	for _, dir := range dirs {
		succeed(t, "man", "--date", "2026-11-21", dir)
	}
	groff, missing := exec.LookPath("groff")
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		path := filepath.Join(dirs[0], name)
		text, err := os.ReadFile(path)
		again, errAgain := os.ReadFile(filepath.Join(dirs[1], name))
		if err != nil || errAgain != nil || string(again) != string(text) {
			t.Errorf("%s: %v, %v, or another one the second time", name, err, errAgain)
		}
		testutil.Contains(t, strings.ReplaceAll(string(text), `\-`, "-"), "\"Nov 2026\" \"blskernel ", ".SH SYNOPSIS",
			strings.ToUpper(strings.TrimSuffix(name, ".1")))
		if missing == nil {
			if out, err := exec.Command(groff, "-man", "-Tutf8", "-ww", "-W", "break", "-z", path).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("groff: %v\n%s", err, out)
			}
		}
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() || below.IsAdditionalHelpTopicCommand() {
				look(below)
			}
		}
	}
	look(newRoot(discarded))
	fail(t, 2, `--date is "today"; want a day such as 2026-11-21`, "man", "--date", "today", t.TempDir())
}
