package scaleout

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
)

// TestElsewhere has the model, the shards and the result in a remote file system of Beam.
func TestElsewhere(t *testing.T) {
	const folder, count = "memfs://elsewhere/", 5
	model := folder + "sample.bls"
	memfs.Write(model, readAll(t, sampleFile(t, modelfile.Metadata{})))
	n := digits().Len()
	for i := range count {
		from, to := i*n/count, (i+1)*n/count
		memfs.Write(fmt.Sprintf("%sx-%d.csv.gz", folder, i), packed(t, csvImages(digits(), from, to)))
		memfs.Write(fmt.Sprintf("%si-%d.idx", folder, i), idxImages(digits(), from, to))
		memfs.Write(fmt.Sprintf("%sl-%d.idx.gz", folder, i), packed(t, idxLabels(digits().Labels[from:to])))
	}
	want := weights(t, single(t, blsupdate.QR, sample(), digits(), testLambda))
	a, _ := expanded(t, sample(), digits())
	limit := bound(blsupdate.QR, n, condition(t, a, testLambda))
	for name, sh := range map[string]sharded{
		"csv": {patterns: []string{folder + "x-*"}, options: Options{Targets: []string{"1"}}},
		"idx": {patterns: []string{folder + "i-*"}, targets: []string{folder + "l-*"}},
	} {
		for _, skip := range []int64{0, 1} {
			out := fmt.Sprintf("%sout-%s-%d.bls", folder, name, skip)
			opt := sh.options
			opt.Model, opt.Out, opt.Method, opt.Lambda, opt.SkipBad = model, out, blsupdate.QR, testLambda, skip
			for range 2 { // the second one replaces the file
				mustRun(t, func(s beam.Scope) { Fit(s, sh.patterns, sh.targets, opt) })
			}
			f, err := modelfile.Read(bytes.NewReader(readAll(t, out)), nil)
			testutil.NoError(t, err)
			if d := difference(weights(t, f.Classifier), want); !(d <= limit) {
				t.Errorf("%s: the weights differ by %.3g, and may by %.3g", name, d, limit)
			}
		}
	}
}

// TestElsewhereFaults checks that faults of such files, a missing one too, name them.
func TestElsewhereFaults(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	const folder = "memfs://faults/"
	memfs.Write(folder+"bad.csv", spoiled())
	whole := packed(t, csvImages(digits(), 0, 9))
	memfs.Write(folder+"cut.csv.gz", whole[:len(whole)-20])
	memfs.Write(folder+"empty.csv", nil)
	for name, want := range map[string]string{
		"bad.csv": folder + "bad.csv:2: column 5", "cut.csv.gz": folder + "cut.csv.gz: the compressed data is cut off",
		"gone.csv": folder + "gone.csv: cannot be opened", "empty.csv": "",
	} {
		fn := newLearnFn(t, model, Options{Targets: []string{"1"}})
		if _, err := bundle(fn, Shard{Path: folder + name}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
