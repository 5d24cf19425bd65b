package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestCommandLine(t *testing.T) {
	cmd := &cobra.Command{Use: "parent"}
	child := &cobra.Command{Use: "child"}
	cmd.AddCommand(child)
	f := child.Flags()
	f.IntSlice("list", []int{1}, "")
	f.StringSlice("names", nil, "")
	f.Bool("yes", false, "")
	f.Bool("no", true, "")
	f.Int("n", 3, "")
	f.Int("m", 3, "")
	var r ridge
	f.SortFlags = false
	f.Var(&r, "ridge", "")
	f.Bool("on", true, "")
	f.Int("zero", 0, "")
	f.String("empty", "", "")
	f.StringSlice("nothing", nil, "")
	f.String("out", "file", "")
	if err := f.Parse(strings.Fields("--list 2,3 --names a,b --yes --no=false --n 4 --ridge 2^-30")); err != nil {
		t.Fatal(err)
	}
	if got, want := commandLine(child), "parent child --list 2,3 --names a,b --yes --no=false --n 4 --ridge 2^-30"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if got, want := fullCommandLine(child), "parent child --list 2,3 --names a,b --yes --no=false --n 4 --m 3 --ridge 2^-30 --on"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
