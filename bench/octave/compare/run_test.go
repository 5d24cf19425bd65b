package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blskernel"
	"blskernel/mat"
)

// small are flags of an experiment of moments, with one method and no updates.
const small = "-initial 60 -batch 20 -updates 0 -groups 2 -nodes 5 -enhancement 10 -rounds 1 -methods gram -threads 1 -scripts .. "

// runs parses flags after the small ones and runs the comparison.
func runs(t *testing.T, args ...string) (string, error) {
	t.Helper()
	defer blskernel.SetThreads(0)
	o, err := parse(append(strings.Fields(small), args...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = run(context.Background(), o, &out, io.Discard)
	return out.String(), err
}

// TestRun runs it with Octave, by the flags.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath("octave-cli"); err != nil {
		t.Skip("octave-cli is not installed")
	}
	out, err := runs(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"k = 20 nodes, 60 samples at first, 0 updates by 20; synthetic digits", "1 threads, 1 rounds", "gram"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestRunExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if out, err := runs(t, "-export", dir); err != nil || out != "" {
		t.Fatalf("%s, %v", out, err)
	}
	for name, shape := range map[string][2]int{"settings.bin": {6, 1}, "x0.bin": {60, 784}, "a0.bin": {60, 20}, "y0.bin": {60, 10}} {
		if _, err := readMatrix(filepath.Join(dir, name), shape[0], shape[1]); err != nil {
			t.Error(err)
		}
	}
}

func TestRunErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "settings.bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"-data", filepath.Join(dir, "none")}, "none"},
		{[]string{"-export", file}, "file"},
		{[]string{"-export", taken}, "settings.bin"},
		{[]string{"-scripts", dir}, "run this in the root of the repository"},
		{[]string{"-octave", filepath.Join(dir, "no-octave")}, "install GNU Octave"},
	} {
		if _, err := runs(t, tc.args...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v; want %s", tc.args, err, tc.want)
		}
	}
}

// TestAnswers has something else in the place of Octave, which answers in other ways.
func TestAnswers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	for script, want := range map[string]string{
		"":                                     "has ended before it answered",
		"echo error: no memory":                "GNU Octave: error: no memory",
		"echo ready 1; read x":                 "gram, step 0: GNU Octave has ended before it answered",
		"echo ready 1; read x; echo done soon": "invalid syntax",
		"echo ready 1; read x; echo done 1":    "w.bin",
		"echo ready 1; read x; echo error: x is undefined": "gram, step 0: GNU Octave: error: x is undefined",
	} {
		path := filepath.Join(t.TempDir(), "octave")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := runs(t, "-octave", path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", script, err, want)
		}
	}
}

// TestMatrixFileErrors has files that are cut off or too long, and folders where there should be files.
func TestMatrixFileErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.bin")
	if err := writeMatrix(path, mat.NewDense(2, 2, []float64{1, 2, 3, 4})); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) {
		if err := os.WriteFile(path, text[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readMatrix(path, 2, 2); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(text))
		}
	}
	if err := os.WriteFile(path, append(text, 0), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readMatrix(path, 2, 2); err == nil || !strings.Contains(err.Error(), "more than 2×2") {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := readMatrix(filepath.Join(dir, "none"), 2, 2); err == nil {
		t.Error("reads what is not there")
	}
	if err := writeMatrix(dir, mat.NewDense(1, 1, nil)); err == nil {
		t.Error("writes to a folder")
	}
}

func TestUnknownFlag(t *testing.T) {
	var help bytes.Buffer
	if _, err := parse([]string{"-nonsense"}, &help); err == nil || !strings.Contains(help.String(), "-scripts folder") {
		t.Errorf("%v; help %s", err, &help)
	}
}

// TestStopped cancels while Octave, or what stands for it, is waited for.
func TestStopped(t *testing.T) {
	o, err := parse(strings.Fields(small), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	e, err := newExperiment(o)
	if err != nil {
		t.Fatal(err)
	}
	e.rest = 0
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.compare(ctx, nil, io.Discard); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
