package modelfile

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

var methods = []blsupdate.Method{blsupdate.Improved, blsupdate.Original, blsupdate.RidgeInverse, blsupdate.InverseCholesky, blsupdate.Gram, blsupdate.QR}

var must = testutil.NoError

// table returns rows [from, to) of a table of d columns, each with a label in 0, 1, 2 and two targets.
func table(from, to, d int) (x *mat.Dense, labels []int, y *mat.Dense) {
	x, y = mat.NewDense(to-from, d, nil), mat.NewDense(to-from, 2, nil)
	labels = make([]int, to-from)
	for i := range labels {
		s := 0.0
		for j := range d {
			v := math.Sin(float64((from+i)*(2*j+3) + j))
			x.Set(i, j, v*math.Pow(10, float64(j%5)))
			s += v
		}
		labels[i] = (from + i) % 3
		y.Set(i, 0, s)
		y.Set(i, 1, math.Cos(s)+float64(labels[i]))
	}
	return x, labels, y
}

var metadata = Metadata{
	Created:  time.Date(2024, 2, 29, 12, 30, 1, 123456789, time.FixedZone("somewhere", 3600)),
	Changed:  time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
	Software: "blskernel 1.2.3",
	Inputs:   []string{"a <b>", "größe"},
	Batch:    1000,
	Progress: &Progress{Rows: math.MaxInt64, Sources: []string{"x.csv", "-"}, Done: true},
	Notes:    map[string]string{"z": "1", "a": "\"\n\u2028", "": ""},
}

// file returns a fitted model of two inputs with metadata.
func file(t testing.TB, method blsupdate.Method, regressor bool) *File {
	t.Helper()
	f := &File{Metadata: metadata}
	f.Metadata.Notes = maps.Clone(metadata.Notes)
	x, labels, y := table(0, 20, 2)
	features := bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 2, EnhancementNodes: 1, Seed: 5}
	if regressor {
		f.Metadata.Targets = []string{"price", "mass"}
		f.Regressor = &bls.Regressor{Features: features, Method: method, Update: blsupdate.Options{Lambda: 0.5}}
		must(t, f.Regressor.Fit(x, y))
		return f
	}
	f.Metadata.Classes = []string{"red", "green", "blue"}
	f.Metadata.Targets = []string{"color"}
	f.Classifier = &bls.Classifier{Features: features, Method: method, Update: blsupdate.Options{Lambda: 0.5}, Classes: 3}
	must(t, f.Classifier.Fit(x, labels))
	return f
}

func written(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, Write(&b, f))
	return b.Bytes()
}

func sameMetadata(a, b Metadata) bool {
	a.Created, a.Changed, b.Created, b.Changed = a.Created.UTC(), a.Changed.UTC(), b.Created.UTC(), b.Changed.UTC()
	return reflect.DeepEqual(a, b)
}

var update = flag.Bool("update", false, "write the files in testdata anew")

// golden lists the files in testdata: the architecture on which they were trained and written, and how
// their names refer to it. s390x is big-endian.
var golden = []struct{ arch, suffix string }{{"amd64", ""}, {"s390x", "-s390x"}}

// The files in testdata must be read forever, as the same models: their notes have what the models
// predict, to rounding. They are written back as the same bytes on every machine, since nothing is
// computed on the way. With -update the files of the current architecture are made anew: GOARCH=s390x
// go test -exec qemu-s390x -run Golden ./bls/modelfile -update
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
		path := filepath.Join("testdata", fmt.Sprintf("v%d-%v%s.bls", Version, method, suffix))
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
			// About ten products of numbers below 10; machines round each once or twice.
			if !(math.Abs(got[j]-v) <= 1e-13) {
				t.Errorf("%v: prediction %d is %v, want %v", method, j, got[j], v)
			}
		}
		b, err := os.ReadFile(path)
		must(t, err)
		checkAgain(t, f, b)
	}
}
