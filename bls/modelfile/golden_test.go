package modelfile

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"blskernel/mat"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// golden are the files in testdata: the architecture on which they were trained and written, and what
// their names have of it. s390x is big-endian.
var golden = []struct{ arch, suffix string }{{"amd64", ""}, {"s390x", "-s390x"}}

// The files in testdata were written by version 1 of the format. They are read for ever, as the same
// models: their notes have what the models predict, to rounding. And they are written as the same
// bytes, on every machine, since nothing is computed on the way. With -update those of the architecture
// at work are made anew: GOARCH=s390x go test -exec qemu-s390x -run Golden ./bls/modelfile -update
func TestGolden(t *testing.T) {
	for _, from := range golden {
		t.Run(from.arch, func(t *testing.T) { testGolden(t, from.arch, from.suffix) })
	}
}

func testGolden(t *testing.T, arch, suffix string) {
	sample := mat.NewDense(1, 2, []float64{0.25, -3})
	predict := func(f *File) []float64 {
		t.Helper()
		if f.Regressor != nil {
			out, err := f.Regressor.Predict(sample)
			must(t, err)
			return out.RawRowView(0)
		}
		out, err := f.Classifier.DecisionFunction(sample)
		must(t, err)
		return out.RawRowView(0)
	}
	for i, method := range methods {
		path := filepath.Join("testdata", fmt.Sprintf("v1-%v%s.bls", method, suffix))
		if *update && runtime.GOARCH == arch {
			f := file(t, method, i%2 == 1)
			var texts []string
			for _, v := range predict(f) {
				texts = append(texts, strconv.FormatFloat(v, 'g', -1, 64))
			}
			f.Metadata.Notes["prediction"] = strings.Join(texts, " ")
			must(t, Save(path, f))
		}
		f, err := Load(path, nil)
		must(t, err)
		got := predict(f)
		want := strings.Fields(f.Metadata.Notes["prediction"])
		if len(want) != len(got) {
			t.Fatalf("%v: %d predictions, want %v", method, len(got), want)
		}
		for j, text := range want {
			v, err := strconv.ParseFloat(text, 64)
			must(t, err)
			// Some ten products of numbers below 10, which some machines round once and
			// others twice.
			if !(math.Abs(got[j]-v) <= 1e-13) {
				t.Errorf("%v: prediction %d is %v, want %v", method, j, got[j], v)
			}
		}
		b, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(written(t, f), b) {
			t.Errorf("%v: written as other bytes", method)
		}
	}
}
