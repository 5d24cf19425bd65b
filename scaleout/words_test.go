package scaleout

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

// wordTable returns CSV text with words, decimal commas, percent signs and missing cells.
func wordTable(from, to int) string {
	b := strings.Builder{}
	b.WriteString("color;size;kind\n")
	for i := from; i < to; i++ {
		color := []string{"red", "blue", "", "grün"}[i%4]
		size := fmt.Sprintf("%d,%d%%", i%7, i%10)
		if i%9 == 0 {
			size = []string{"NA", "unknown"}[i%2]
		}
		fmt.Fprintf(&b, "%s;%s;%s\n", color, size, []string{"a", "b"}[i/2%2])
	}
	return b.String()
}

// TestWords fits to shards of a table with words and indicators of missing cells, by the columns of the
// model. The result equals a fit in one process. The counters report unknown words and missing cells.
func TestWords(t *testing.T) {
	folder := t.TempDir()
	opt := stream.Options{Targets: []string{"kind"}, Classes: true, Missing: stream.MissingMean, NA: []string{"unknown"}}
	read := func(path string, opt stream.Options) (*stream.Batch, stream.Columns, *stream.Reader) {
		r, err := stream.Open(background, []string{path}, opt)
		testutil.NoError(t, err)
		defer r.Close()
		if s := r.Selection(); s.Columns == nil {
			d, err := r.Survey(1000)
			testutil.NoError(t, err)
			s.Columns = d.Columns.Indicate(d.Gaps)
			testutil.NoError(t, r.Select(s))
		}
		b, err := r.Next(10000)
		testutil.NoError(t, err)
		return b, r.Selection().Columns, r
	}
	b, columns, r := read(writeFile(t, folder, "base.csv", []byte(wordTable(0, 200))), opt)
	classes := func(b *stream.Batch) (numbers []int) {
		for _, label := range b.Labels {
			numbers = append(numbers, slices.Index([]string{"a", "b"}, label))
		}
		return numbers
	}
	base := &bls.Classifier{Features: bls.FeatureOptions{Groups: 2, GroupNodes: 4, EnhancementNodes: 10, Seed: 1}, Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 0.1}}
	testutil.NoError(t, base.Fit(b.X, classes(b)))
	meta := modelfile.Metadata{Inputs: r.Inputs(), Classes: []string{"a", "b"}, Targets: r.Targets(), Columns: columns, Missing: "mean", NA: opt.NA}
	model := saved(t, &modelfile.File{Classifier: base, Metadata: meta})

	text := wordTable(0, 300) + "pink;1,5%;a\nviolet;2,5%;b\n"
	writeFile(t, folder, "part-0.csv", []byte(wordTable(0, 150)))
	writeFile(t, folder, "part-1.csv", []byte("kind;size;color\na;1,5%;pink\nb;2,5%;violet\n"))
	writeFile(t, folder, "part-2.csv", []byte(wordTable(150, 300)))
	for _, skip := range []int64{0, 3} {
		sh := sharded{patterns: []string{filepath.Join(folder, "part-*.csv")}}
		f, result := sh.fit(t, Options{Method: blsupdate.QR, Model: model, Lambda: 0.1, Created: created, SkipBad: skip})
		opt := f.Metadata.Options()
		opt.Targets, opt.Classes = []string{"kind"}, true
		all, _, whole := read(writeFile(t, t.TempDir(), "all.csv", []byte(text)), opt)
		a, y, err := base.Expand(all.X, classes(all))
		testutil.NoError(t, err)
		want, limit := one(t, blsupdate.QR, a, y, 0.1)
		checkWeights(t, skip, f.Classifier.Updater(), want, limit)
		filled := whole.Tally().Filled
		if counter(result, MetricFilled) != filled[0]+filled[1] || counter(result, MetricUnknown+"color") != 2 || counter(result, MetricDropped) != 0 {
			t.Errorf("%d filled in, %d unknown", counter(result, MetricFilled), counter(result, MetricUnknown+"color"))
		}
	}
	path := writeFile(t, folder, "word.csv", []byte("color;size;kind\nred;much;a\n"))
	_, err := bundle(newLearnFn(t, model, Options{}), Shard{Path: path})
	var fault *stream.Error
	if !errors.As(err, &fault) || fault.Name != "size" || fault.Line != 2 {
		t.Error(err)
	}
}
