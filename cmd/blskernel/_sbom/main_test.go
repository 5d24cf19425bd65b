package main

import (
	"bytes"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// TestRun prints the bill of this test, and reads it back by the library.
func TestRun(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := run(&first, exe); err != nil {
		t.Fatal(err)
	}
	if err := run(&second, exe); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("the second bill is another one: %v", err)
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(&first, cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range *bom.Components {
		found = found || strings.HasPrefix(c.PackageURL, "pkg:golang/std@1.")
	}
	if !found || bom.SpecVersion != cdx.SpecVersion1_6 {
		t.Errorf("no standard library among %v, or %v", *bom.Components, bom.SpecVersion)
	}
	if err := run(&first, "main.go"); err == nil {
		t.Error("a file that is no program has a bill")
	}
}

func TestBill(t *testing.T) {
	bom := bill("prog", "abc", &debug.BuildInfo{
		GoVersion: "go1.26.8 X:some",
		Main:      debug.Module{Path: "m", Version: "v1.0.0+dirty"},
		Deps: []*debug.Module{
			{Path: "a", Version: "v1.2.3", Sum: "h1:x"},
			{Path: "b", Version: "v1.0.0", Replace: &debug.Module{Path: "c", Version: "v2.0.0"}},
		},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "plan9"}, {Key: "vcs.time", Value: "2026-11-21T00:00:00Z"}, {Key: "-trimpath", Value: "true"}},
	})
	main := bom.Metadata.Component
	if main.Name != "prog" || main.PackageURL != "pkg:golang/m@v1.0.0%2Bdirty" || (*main.Hashes)[0].Value != "abc" || len(*main.Properties) != 1 {
		t.Errorf("%+v", main)
	}
	if bom.Metadata.Timestamp != "2026-11-21T00:00:00Z" || bom.SerialNumber != "" {
		t.Errorf("time %q, serial number %q", bom.Metadata.Timestamp, bom.SerialNumber)
	}
	var refs []string
	for _, c := range *bom.Components {
		refs = append(refs, c.BOMRef)
	}
	want := "pkg:golang/std@1.26.8 pkg:golang/a@v1.2.3 pkg:golang/c@v2.0.0"
	if got := strings.Join(refs, " "); got != want || strings.Join(*(*bom.Dependencies)[0].Dependencies, " ") != want {
		t.Errorf("%s; want %s", got, want)
	}
}
