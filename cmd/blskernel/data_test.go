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
	checkRows(t, parseRows(t, silent(t, quickFiles(dir, "--json")...)), 90, 20, 2)
	testutil.Contains(t, succeed(t, quickFiles(dir)...), filepath.Base(dir)+" (train): 130 images of 28 x 28 in 10 classes\n")
}

func TestDemoFilesErrors(t *testing.T) {
	for _, tc := range []struct {
		name    string
		removed string // a file
		cut     string // a file that is cut after 1000 bytes
		args    []string
		status  int
		want    []string // in standard error
	}{
		{name: "missing folder", args: []string{"--data", "nowhere"}, status: ui.ExitFailure, want: []string{"nowhere", "does not exist"}},
		{name: "missing file", removed: "t10k-labels-idx1-ubyte", status: ui.ExitFailure, want: []string{"lacks t10k-labels-idx1-ubyte"}},
		{name: "truncated gzip", cut: "train-images-idx3-ubyte.gz", status: ui.ExitFailure, want: []string{"train-images-idx3-ubyte.gz"}},
		{name: "too many updates", args: []string{"--updates", "3"}, status: ui.ExitUsage,
			want: []string{"(train) has 130 samples and 90 + 3×20 are wanted: take a smaller start, or fewer or smaller batches\nRun 'blskernel demo -h' for help.\n"}},
		{name: "too large a start", args: []string{"--initial", "131"}, status: ui.ExitUsage, want: []string{"130 samples and 131 + 2×20"}},
		{name: "too small a start", args: []string{"--initial", "59"}, status: ui.ExitUsage,
			want: []string{"59 samples for 60 nodes with lambda > 0: ", "or set Lambda to 0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := writeIDX(t, 130)
			if tc.removed != "" {
				testutil.NoError(t, os.Remove(filepath.Join(dir, tc.removed)))
			}
			if tc.cut != "" {
				testutil.NoError(t, os.Truncate(filepath.Join(dir, tc.cut), 1000))
			}
			status, stdout, stderr := inProcess(quickFiles(dir, tc.args...)...)
			if status != tc.status || stdout != "" || !strings.HasPrefix(stderr, "blskernel demo: ") {
				t.Errorf("status %d, stdout %q, stderr %q; want status %d and a reason", status, stdout, stderr, tc.status)
			}
			testutil.Contains(t, stderr, tc.want...)
		})
	}
}
