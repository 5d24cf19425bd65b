package scaleout

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestNotPositive sets aside a row whose target has no logarithm.
func TestNotPositive(t *testing.T) {
	x, y := table(40)
	r := &bls.Regressor{Features: bls.FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 8}, Method: blsupdate.Gram, LogTargets: 1}
	testutil.NoError(t, r.Fit(x, y))
	path := saved(t, &modelfile.File{Regressor: r, Metadata: modelfile.Metadata{Inputs: []string{"a", "b", "c"}, Targets: []string{"y", "z"}}})
	shard := Shard{Path: writeFile(t, t.TempDir(), "rows.csv", []byte("a,b,c,y,z\n0,1,100,7,40\n0,2,100,0,40\n1,2,100,9,41\n"))}
	out, err := bundle(newLearnFn(t, path, Options{SkipBad: 1}), shard)
	if err != nil || out.samples != 2 || len(out.bad) != 1 || !strings.Contains(out.bad[0], "rows.csv:3: the target 0 in column \"y\" is not positive") {
		t.Fatalf("learned %d samples, set aside %q: %v", out.samples, out.bad, err)
	}
}

// TestTooLarge reads finite samples that are too large to be learned. With a limit on bad rows, each is
// set aside with its line, in batches of any size, and the others are learned.
func TestTooLarge(t *testing.T) {
	_, model := regression(t)
	x, y := table(40)
	text, good, bad := "a,b,c,y,z\n", "a,b,c,y,z\n", []string{}
	cells := map[int]string{ // by line
		2:  "1e308,1e308,1e308,0,0",
		7:  "-1.5e306,1.5e306,-1.5e306,0,0", // nodes that overflow
		9:  "-1e308,1,1,0,0",                // distances from the mean that overflow, checked before the nodes
		10: "0,0,1e308,0,0", 20: "0,2e160,0,0,0",
		31: "0.1,0.1,0.1,1.7e308,0", 32: "0.1,0.1,0.1,0,-1.7e308", 41: "0,0,1e308,0,0",
	}
	for i := range 40 {
		if row, is := cells[i+2]; is {
			text += row + "\n"
			bad = append(bad, fmt.Sprintf("rows.csv:%d: ", i+2))
			continue
		}
		row := fmt.Sprintf("%v,%v,%v,%v,%v\n", x.At(i, 0), x.At(i, 1), x.At(i, 2), y.At(i, 0), y.At(i, 1))
		text, good = text+row, good+row
	}
	shard := Shard{Path: writeFile(t, t.TempDir(), "rows.csv", []byte(text))}
	rest := Shard{Path: writeFile(t, t.TempDir(), "good.csv", []byte(good))}
	opt := Options{SkipBad: int64(len(bad)), Batch: 1}
	want, err := bundle(newLearnFn(t, model, opt), rest)
	testutil.NoError(t, err)
	if want.samples != 40-len(bad) || want.bad != nil {
		t.Fatalf("without bad rows: learned %d samples, set aside %q", want.samples, want.bad)
	}
	for _, opt.Batch = range []int{1, 8, 100} {
		out, err := bundle(newLearnFn(t, model, opt), shard)
		testutil.NoError(t, err)
		if out.samples != want.samples || len(out.bad) != len(bad) || opt.Batch == 1 && !bytes.Equal(out.state, want.state) {
			t.Fatalf("batches of %d: learned %d samples, set aside %q", opt.Batch, out.samples, out.bad)
		}
		slices.Sort(out.bad)
		slices.Sort(bad)
		for i, line := range out.bad {
			if !strings.Contains(line, bad[i]) || !strings.Contains(line, "overflow") {
				t.Errorf("batches of %d: set aside %q, want %q", opt.Batch, line, bad[i])
			}
		}
	}
}
