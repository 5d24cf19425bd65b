package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset"
	"blskernel/internal/testutil"
)

// writeIDX writes a training set of n synthetic digits and a test set of 200 as idx files, the
// first two packed.
func writeIDX(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, magic uint32, dims []int, body []byte, pack bool) {
		data := binary.BigEndian.AppendUint32(nil, magic)
		for _, d := range dims {
			data = binary.BigEndian.AppendUint32(data, uint32(d))
		}
		data = append(data, body...)
		if pack {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
			testutil.NoError(t, w.Close())
			name, data = name+".gz", b.Bytes()
		}
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	train, test := dataset.Digits(n, 1), dataset.Digits(200, 2)
	write("train-images-idx3-ubyte", 0x803, []int{n, 28, 28}, train.Pixels, true)
	write("train-labels-idx1-ubyte", 0x801, []int{n}, train.Labels, true)
	write("t10k-images-idx3-ubyte", 0x803, []int{200, 28, 28}, test.Pixels, false)
	write("t10k-labels-idx1-ubyte", 0x801, []int{200}, test.Labels, false)
	return dir
}

// quickFiles makes a run of demo with the files of a folder and k = 60 nodes.
func quickFiles(dir string, args ...string) []string {
	return append([]string{"demo", "--data", dir}, quick(args...)[1:]...)
}

func TestDemoFiles(t *testing.T) {
	dir := writeIDX(t, 130)
	status, stdout, stderr := inProcess(quickFiles(dir, "--json")...)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	checkRows(t, parseRows(t, stdout), 90, 20, 2)

	status, stdout, _ = inProcess(quickFiles(dir)...)
	if want := filepath.Base(dir) + " (train): 130 images of 28 x 28 in 10 classes\n"; status != 0 || !strings.Contains(stdout, want) {
		t.Errorf("status %d, %q is not in\n%s", status, want, stdout)
	}
}

func TestDemoFilesErrors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		spoil  func(t *testing.T, dir string) (data string)
		args   []string
		status int
		want   []string // in standard error
	}{
		{"missing folder", func(_ *testing.T, dir string) string { return filepath.Join(dir, "nowhere") }, nil, ui.ExitFailure, []string{"nowhere", "does not exist"}},
		{"file for folder", func(_ *testing.T, dir string) string { return filepath.Join(dir, "t10k-images-idx3-ubyte") }, nil, ui.ExitFailure, []string{"is a file; want the folder"}},
		{"empty folder", func(t *testing.T, _ string) string { return t.TempDir() }, nil, ui.ExitFailure, []string{"lacks train-images-idx3-ubyte, train-labels-idx1-ubyte"}},
		{"missing file", func(t *testing.T, dir string) string {
			testutil.NoError(t, os.Remove(filepath.Join(dir, "t10k-labels-idx1-ubyte")))
			return dir
		}, nil, ui.ExitFailure, []string{"lacks t10k-labels-idx1-ubyte"}},
		{"truncated", func(t *testing.T, dir string) string {
			testutil.NoError(t, os.Truncate(filepath.Join(dir, "t10k-images-idx3-ubyte"), 1000))
			return dir
		}, nil, ui.ExitFailure, []string{"t10k-images-idx3-ubyte", "byte 1000"}},
		{"truncated gzip", func(t *testing.T, dir string) string {
			testutil.NoError(t, os.Truncate(filepath.Join(dir, "train-images-idx3-ubyte.gz"), 1000))
			return dir
		}, nil, ui.ExitFailure, []string{"train-images-idx3-ubyte.gz"}},
		{"too many updates", func(_ *testing.T, dir string) string { return dir }, []string{"--updates", "3"}, ui.ExitUsage,
			[]string{"(train) has 130 samples and 90 + 3 x 20 are wanted: lower --initial, --updates or --batch\nRun 'blskernel demo -h' for help.\n"}},
		{"too large a start", func(_ *testing.T, dir string) string { return dir }, []string{"--initial", "131"}, ui.ExitUsage, []string{"130 samples and 131 + 2 x 20"}},
		{"too small a start", func(_ *testing.T, dir string) string { return dir }, []string{"--initial", "59"}, ui.ExitUsage,
			[]string{"--initial is 59, fewer samples than the 60 nodes", "--lambda 0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := tc.spoil(t, writeIDX(t, 130))
			status, stdout, stderr := inProcess(quickFiles(dir, tc.args...)...)
			if status != tc.status || stdout != "" || !strings.HasPrefix(stderr, "blskernel demo: ") {
				t.Errorf("status %d, stdout %q, stderr %q; want status %d and a reason", status, stdout, stderr, tc.status)
			}
			for _, want := range tc.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q is not in %q", want, stderr)
				}
			}
		})
	}
}
