package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bench/result"
)

// TestWriteAndRead writes baselines and reads them back, to four digits.
func TestWriteAndRead(t *testing.T) {
	at := place{filepath.Join(t.TempDir(), "baselines"), "some-cpu"}
	measured := map[cell]ratios{
		{"dgemm NN 100", 1, "wide"}:   {0.912345, 1.23456},
		{"dgemm NN 100", 2, "wide"}:   {0.5, 1},
		{"ddot 100", 1, "wide"}:       {0.25, 0},
		{"dgemm NN 100", 1, "narrow"}: {0.1, 0.2},
	}
	machine := result.Machine{CPU: "Some CPU", OpenBLAS: "0.3"}
	var log strings.Builder
	if err := at.write(&log, machine, []string{"wide", "narrow", "generic"}, measured, map[int]float64{1: 50.123456}); err != nil {
		t.Fatal(err)
	}
	if want := "wrote " + at.path("wide") + ": 3 cells\nwrote " + at.path("narrow") + ": 1 cells\n"; log.String() != want {
		t.Errorf("%q; want %q", &log, want)
	}
	text, err := os.ReadFile(at.path("wide"))
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(text), "\n")
	want := `{"kind":"peak","threads":1,"gflops":50.12}
{"kind":"gate","case":"ddot 100","threads":1,"of_peak":0.25}
{"kind":"gate","case":"dgemm NN 100","threads":1,"of_peak":0.9123,"over_openblas":1.235}
{"kind":"gate","case":"dgemm NN 100","threads":2,"of_peak":0.5,"over_openblas":1}
`
	if lines != want {
		t.Errorf("%s; want %s", lines, want)
	}
	if _, err := os.Stat(at.path("generic")); err == nil {
		t.Error("a file without ratios")
	}
	all := map[cell]ratios{}
	for _, k := range []string{"wide", "narrow"} {
		b, err := at.read(k)
		if err != nil || b.machine.Kernel != k || b.machine.OpenBLAS != "0.3" {
			t.Fatalf("%+v, %v", b, err)
		}
		b.addTo(all, "0.3")
	}
	measured[cell{"dgemm NN 100", 1, "wide"}] = ratios{0.9123, 1.235}
	if !maps.Equal(all, measured) {
		t.Errorf("%v; want %v", all, measured)
	}
	// A part of the cells can be measured again.
	again := map[cell]ratios{{"ddot 100", 1, "wide"}: {0.5, 2}}
	if err := at.write(io.Discard, machine, []string{"wide"}, again, map[int]float64{2: 90}); err != nil {
		t.Fatal(err)
	}
	three := []baselineLine{{"ddot 100", 1, 0.5, 2}, {"dgemm NN 100", 1, 0.9123, 1.235}, {"dgemm NN 100", 2, 0.5, 1}}
	wide, err := at.read("wide")
	if err != nil || !slices.Equal(wide.lines, three) || !maps.Equal(wide.peaks, map[int]float64{1: 50.12, 2: 90}) {
		t.Errorf("%+v, %v", wide, err)
	}
	// Where OpenBLAS has another version by then, the ratios over it of the other cells are gone.
	log.Reset()
	if err := at.write(&log, result.Machine{OpenBLAS: "0.4"}, []string{"wide"}, again, map[int]float64{1: 60}); err != nil {
		t.Fatal(err)
	}
	three[1].OverOpenBLAS, three[2].OverOpenBLAS = 0, 0
	if wide, err = at.read("wide"); err != nil || !slices.Equal(wide.lines, three) || wide.machine.OpenBLAS != "0.4" || !maps.Equal(wide.peaks, map[int]float64{1: 60, 2: 90}) {
		t.Errorf("%+v, %v", wide, err)
	}
	if !strings.Contains(log.String(), "3 cells\nwarning: 2 of them, which were not measured, have lost their ratios over OpenBLAS, which were of \"0.3\"\n") {
		t.Errorf("%s", &log)
	}
	names, err := os.ReadDir(filepath.Join(at.folder, at.cpu))
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	files, err := at.all()
	if err != nil || len(files) != 2 || files[0].kernel != "narrow" || files[1].kernel != "wide" {
		t.Errorf("%v, %v", files, err)
	}
	if files, err := (place{at.folder, "another-cpu"}).all(); err != nil || files != nil {
		t.Errorf("another CPU: %v, %v", files, err)
	}
	// With another version of OpenBLAS its ratios are left out.
	b, err := at.read("narrow")
	if err != nil {
		t.Fatal(err)
	}
	other := map[cell]ratios{}
	b.addTo(other, "0.4")
	if want := (ratios{0.1, 0}); len(other) != 1 || other[cell{"dgemm NN 100", 1, "narrow"}] != want {
		t.Errorf("%v; want %v", other, want)
	}
}

func TestParseErrors(t *testing.T) {
	const line = `{"kind":"gate","case":"a 1","threads":1,"of_peak":0.5}` + "\n"
	for text, want := range map[string]string{
		"":                              "has no ratios",
		`{"kind":"machine"}`:            "has no ratios",
		line + line:                     "line 2: a 1 with 1 threads is there twice",
		line + "nonsense":               "line 2: invalid character",
		`{"kind":"ratio"}`:              `line 1: is of the kind "ratio"; want machine, peak or gate`,
		`{"kind":"gate"}`:               "line 1:  with 0 threads: a ratio that is not positive",
		`{"kind":"peak","threads":1}`:   "line 1: the peak with 1 threads is there twice, or not positive",
		`{"kind":"peak","threads":"1"}`: "line 1: json: cannot unmarshal string",
		strings.Repeat(`{"kind":"peak","threads":1,"gflops":5}`+"\n", 2): "line 2: the peak with 1 threads is there twice",
		`{"kind":"machine","threads":7}`:                                 "line 1: json: cannot unmarshal number",
		strings.Replace(line, "}", `,"over_openblas":-1}`, 1):            "line 1: a 1 with 1 threads: a ratio that is not positive",
		strings.Repeat(" ", 1<<17):                                       "token too long",
	} {
		if _, err := parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; want %s", text, err, want)
		}
	}
}

// TestWriteErrors writes where a file is in the way.
func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "cpu", "wide.jsonl"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, at := range []place{{filepath.Join(dir, "file"), "cpu"}, {dir, "cpu"}} {
		if err := at.write(io.Discard, result.Machine{}, []string{"wide"}, nil, nil); err == nil {
			t.Errorf("%v: no error", at)
		}
		if _, err := at.read("wide"); err == nil {
			t.Errorf("%v: reads", at)
		}
		if _, err := at.all(); err == nil {
			t.Errorf("%v: reads all", at)
		}
	}
}

func TestSlug(t *testing.T) {
	for s, want := range map[string]string{"GenuineIntel 6 143": "genuineintel-6-143", " Apple M2 (Pro)": "apple-m2-pro", "": ""} {
		if got := slug(s); got != want {
			t.Errorf("%q: %q; want %q", s, got, want)
		}
	}
	if name := cpuName(); name == "" || name != slug(name) {
		t.Errorf("the name of this CPU is %q", name)
	}
}
