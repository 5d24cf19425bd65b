package scaleout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/io/npy"
	"blskernel/internal/testutil"
	"blskernel/mat"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	gonum "gonum.org/v1/gonum/mat"
)

const (
	shardCount = 24
	shardRows  = 30
)

var created = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

var digits = sync.OnceValue(func() *dataset.Images { return dataset.Digits(shardCount*shardRows, 1) })

// sample is a classifier of 48 nodes fitted to other digits.
var sample = sync.OnceValue(func() *bls.Classifier {
	c := &bls.Classifier{
		Features: bls.FeatureOptions{Groups: 3, GroupNodes: 6, EnhancementNodes: 30, Seed: 7},
		Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 0.5}, Classes: 10,
	}
	few := dataset.Digits(200, 9)
	if err := c.Fit(few.Dense(0, 200), few.LabelsInt(0, 200)); err != nil {
		panic(err)
	}
	return c
})

func sampleFile(t testing.TB, meta modelfile.Metadata) string {
	t.Helper()
	return saved(t, &modelfile.File{Classifier: sample(), Metadata: meta})
}

func saved(t testing.TB, f *modelfile.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.bls")
	testutil.NoError(t, modelfile.Save(path, f))
	return path
}

func run(build func(s beam.Scope)) (beam.PipelineResult, error) {
	p, s := beam.NewPipelineWithRoot()
	build(s)
	return ptest.RunWithMetrics(p)
}

func fails(t testing.TB, build func(s beam.Scope), texts ...string) {
	t.Helper()
	_, err := run(build)
	if err == nil {
		t.Fatalf("the pipeline succeeded; want an error with %q", texts)
	}
	testutil.Contains(t, err.Error(), texts...)
}

// counter returns the committed value of a counter, over all steps.
func counter(r beam.PipelineResult, name string) (sum int64) {
	for _, c := range r.Metrics().AllMetrics().Counters() {
		if c.Namespace() == MetricsNamespace && c.Name() == name {
			sum += c.Result()
		}
	}
	return sum
}

// writeFile writes a file to the folder, on any file system, and returns its path.
func writeFile(t testing.TB, folder, name string, data []byte) string {
	t.Helper()
	path := folder + "/" + name
	testutil.NoError(t, beamfile.Write(background, path, func(w io.Writer) error { _, err := w.Write(data); return err }))
	return path
}

func readAll(t testing.TB, path string) []byte {
	t.Helper()
	r, err := beamfile.Open(background, path)
	testutil.NoError(t, err)
	defer r.Close()
	b, err := io.ReadAll(r)
	testutil.NoError(t, err)
	return b
}

func idxImages(s *dataset.Images, from, to int) []byte {
	pixels := s.Pixels[from*s.Features() : to*s.Features()]
	return testutil.IDX(8, pixels, uint32(to-from), uint32(s.Rows), uint32(s.Cols))
}

func idxLabels(labels []byte) []byte { return testutil.IDX(8, labels, uint32(len(labels))) }

func npyMatrix(m *mat.Dense) []byte {
	rows, cols := m.Dims()
	return npy.AppendFloats(npy.AppendHeader(nil, npy.Float64, rows, cols), m.RawMatrix().Data)
}

func npyLabels(labels []byte) []byte {
	out := npy.AppendHeader(nil, npy.Int64, len(labels))
	for _, label := range labels {
		out = binary.LittleEndian.AppendUint64(out, uint64(label))
	}
	return out
}

// csvImages returns images as CSV without a header; the first column is the label.
func csvImages(s *dataset.Images, from, to int) []byte {
	var b []byte
	x := s.Dense(from, to)
	for i := range to - from {
		b = fmt.Append(b, s.Labels[from+i])
		for _, v := range x.RawRowView(i) {
			b = strconv.AppendFloat(append(b, ','), v, 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	return b
}

// A sharded is a set of shards, and the columns of their targets.
type sharded struct{ patterns, targets, columns []string }

// shards writes digits as count files of a format: idx, npy or csv, or one of them followed by .gz.
func shards(t testing.TB, folder, format string, s *dataset.Images, count int) (out sharded) {
	t.Helper()
	write := func(kind string, shard int, data []byte) []string {
		if strings.HasSuffix(format, ".gz") {
			data = testutil.Gzipped(data)
		}
		writeFile(t, folder, fmt.Sprintf("%s-%03d.%s", kind, shard, format), data)
		return []string{folder + "/" + kind + "-*." + format}
	}
	for i := range count {
		from, to := i*s.Len()/count, (i+1)*s.Len()/count
		switch format[:3] {
		case "idx":
			out.patterns = write("x", i, idxImages(s, from, to))
			out.targets = write("y", i, idxLabels(s.Labels[from:to]))
		case "npy":
			out.patterns = write("x", i, npyMatrix(s.Dense(from, to)))
			out.targets = write("y", i, npyLabels(s.Labels[from:to]))
		case "csv":
			out.patterns, out.columns = write("x", i, csvImages(s, from, to)), []string{"1"}
		}
	}
	return out
}

func (sh sharded) fit(t testing.TB, opt Options) (*modelfile.File, beam.PipelineResult) {
	t.Helper()
	if opt.Targets == nil {
		opt.Targets = sh.columns
	}
	opt.Out = cmp.Or(opt.Out, filepath.Join(t.TempDir(), "out", "fitted.bls"))
	result, err := run(func(s beam.Scope) { Fit(s, sh.patterns, sh.targets, opt) })
	testutil.NoError(t, err)
	f, err := modelfile.Read(bytes.NewReader(readAll(t, opt.Out)), nil)
	testutil.NoError(t, err)
	return f, result
}

// one returns an updater fitted in one process, and the bound on the weight error of another fit.
func one(t testing.TB, method blsupdate.Method, a, y *mat.Dense, lambda float64) (blsupdate.Updater, float64) {
	t.Helper()
	u, err := blsupdate.New(method, a, y, blsupdate.Options{Lambda: lambda})
	testutil.NoError(t, err)
	return u, bound(method, a.RawMatrix().Rows, condition(t, a, lambda))
}

// checkWeights compares the weights of a model with the weights of want, from one process.
func checkWeights(t testing.TB, what any, got interface{ Weights() (*mat.Dense, error) }, want blsupdate.Updater, limit float64) {
	t.Helper()
	if d := difference(weights(t, got), weights(t, want)); !(d <= limit) {
		t.Errorf("%v: the weights differ by %.3g; want at most %.3g", what, d, limit)
	}
}

// condition returns the condition number of [A; sqrt(lambda) I].
func condition(t testing.TB, a *mat.Dense, lambda float64) float64 {
	t.Helper()
	var svd gonum.SVD
	if !svd.Factorize(a, gonum.SVDNone) {
		t.Fatal("the SVD did not converge")
	}
	s := svd.Values(nil)
	first, last := s[0], s[len(s)-1]
	return math.Sqrt((first*first + lambda) / (last*last + lambda))
}

// bound returns the bound on the error of W in docs/numerics.md, 10 sqrt(l) eps κ² for Gram and 10
// sqrt(l) eps κ for QR. It has no factor for the error of the reference.
func bound(method blsupdate.Method, rows int, kappa float64) float64 {
	b := 10 * math.Sqrt(float64(rows)) * 0x1p-52 * kappa
	if method == blsupdate.Gram {
		b *= kappa
	}
	return b
}

var difference = testutil.Distance

func weights(t testing.TB, m interface{ Weights() (*mat.Dense, error) }) *mat.Dense {
	t.Helper()
	w, err := m.Weights()
	testutil.NoError(t, err)
	return w
}

var background = context.Background()
