package main

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"blskernel/internal/testutil"

	"github.com/spf13/cobra"
)

// TestManPages checks that every command has a page, the same each time, and lets groff read it if
// groff is installed.
func TestManPages(t *testing.T) {
	testutil.NotUnderRace(t, "no goroutines")
	t.Chdir(t.TempDir())
	succeed(t, "man", "--date", "2026-11-21", "man1")
	pages := takeUp(t)
	succeed(t, "man", "--date", "2026-11-21", "man1")
	if again := takeUp(t); !reflect.DeepEqual(again, pages) {
		t.Error("the pages are others the second time")
	}
	groff, missing := exec.LookPath("groff")
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		path := "man1/" + name + ".1"
		testutil.Contains(t, strings.ReplaceAll(string(pages[path]), `\-`, "-"),
			"\"Nov 2026\" \"blskernel ", ".SH SYNOPSIS", strings.ToUpper(name))
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
}
