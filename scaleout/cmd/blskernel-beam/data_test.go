//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

const (
	shardCount = 21
	shardRows  = 40
	inputs     = 4
	testRidge  = 1e-4
)

var labels = []string{"inside", "outside"}

// A problem is a set of shards in a folder, with a model for them.
type problem struct {
	folder, model string
	classifier    *bls.Classifier // the classifier in the model file
	x             *mat.Dense      // the samples of all shards
	y             []int           // their class numbers
}

// newProblem writes shards of points inside and outside of a ball, and a model of other points.
func newProblem(t testing.TB) *problem {
	t.Helper()
	p := &problem{folder: t.TempDir()}
	p.model = filepath.Join(p.folder, "base.bls")
	p.classifier = &bls.Classifier{
		Features: bls.FeatureOptions{Groups: 2, GroupNodes: 5, EnhancementNodes: 20, Seed: 3},
		Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 0.5}, Classes: len(labels),
	}
	testutil.NoError(t, p.classifier.Fit(points(200, 1)))
	meta := modelfile.Metadata{Inputs: columns, Classes: labels, Targets: []string{"class"}}
	testutil.NoError(t, modelfile.Save(p.model, &modelfile.File{Classifier: p.classifier, Metadata: meta}))
	p.x, p.y = points(shardCount*shardRows, 2)
	for i := range shardCount {
		testutil.NoError(t, os.WriteFile(p.shard(i), p.csv(i), 0o666))
	}
	return p
}

func points(n int, seed uint64) (*mat.Dense, []int) {
	r := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, inputs, nil), make([]int, n)
	for i := range n {
		sum := 0.0
		for j := range inputs {
			v := r.NormFloat64()
			x.Set(i, j, v)
			sum += v * v
		}
		if sum > inputs {
			y[i] = 1
		}
	}
	return x, y
}

var columns = []string{"x0", "x1", "x2", "x3"}

// shard returns the path of a shard, and pattern a glob for all.
func (p *problem) shard(i int) string {
	return filepath.Join(p.folder, fmt.Sprintf("part-%02d.csv", i))
}
func (p *problem) pattern() string { return filepath.Join(p.folder, "part-*.csv") }

// csv returns the text of a shard, with numbers in full precision.
func (p *problem) csv(i int) []byte {
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + ",class\n")
	for r := i * shardRows; r < (i+1)*shardRows; r++ {
		for _, v := range p.x.RawRowView(r) {
			fmt.Fprintf(&b, "%v,", v)
		}
		b.WriteString(labels[p.y[r]] + "\n")
	}
	return []byte(b.String())
}

// args returns the arguments of a fit that writes a model to out and prints a report as JSON.
func (p *problem) args(out string, more ...string) []string {
	return append([]string{"--json", "--model", p.model, "--out", out, "--lambda", fmt.Sprint(testRidge), p.pattern()}, more...)
}

func (p *problem) out(t testing.TB) string { return filepath.Join(t.TempDir(), "out.bls") }

// check compares the model at path with a fit of the same samples in one process.
func (p *problem) check(t testing.TB, method blsupdate.Method, path string) {
	t.Helper()
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("the files are %v (%v); want only the model", files, err)
	}
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	a, y, err := p.classifier.Expand(p.x, p.y)
	testutil.NoError(t, err)
	want, err := blsupdate.New(method, a, y, blsupdate.Options{Lambda: testRidge})
	testutil.NoError(t, err)
	got := f.Classifier.Updater()
	if got.Method() != method || got.Samples() != want.Samples() || got.Lambda() != want.Lambda() {
		t.Errorf("the model has method %v, %d samples and ridge %v; want %v, %d and %v",
			got.Method(), got.Samples(), got.Lambda(), method, want.Samples(), want.Lambda())
	}
	// The error of the weights is about eps κ² with Gram and eps κ with QR. κ of [A; sqrt(lambda)
	// I] is at most ‖A‖/sqrt(lambda). A row that counts twice or not at all exceeds these bounds by
	// far.
	kappa := math.Sqrt(1 + math.Pow(a.Norm(2), 2)/testRidge)
	limit := 10 * math.Sqrt(float64(shardCount*shardRows)) * 0x1p-52 * kappa
	if method == blsupdate.Gram {
		limit *= kappa
	}
	w, err := got.Weights()
	testutil.NoError(t, err)
	v, err := want.Weights()
	testutil.NoError(t, err)
	if d := testutil.Distance(w, v); !(d <= limit) {
		t.Errorf("the weights differ by %.3g; want at most %.3g (κ <= %.3g)", d, limit, kappa)
	}
}
