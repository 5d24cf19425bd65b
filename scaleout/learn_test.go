package scaleout

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/io/npy"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

type outputs struct {
	key     int64
	emitted *State // nil if there is none
	state   []byte // its encoding when it was emitted
	samples int
	bad     []string
}

func newLearnFn(t testing.TB, model string, opt Options) *learnFn {
	t.Helper()
	opt.Model, opt.Out = model, "not written"
	fn := &learnFn{withModel: useModel(model), Options: opt.resolve()}
	fn.Options.Batch = opt.rows(fn.base.FittedFeatures().Inputs())
	return fn
}

func bundle(fn *learnFn, shards ...Shard) (out outputs, err error) {
	emit := func(key int64, s *State) {
		out.key, out.emitted, out.samples = key, s, s.updater.Samples()
		out.state, err = encodeState(s)
	}
	bad := func(line string) { out.bad = append(out.bad, line) }
	fn.StartBundle(background, emit, bad)
	for _, shard := range shards {
		if err := fn.ProcessElement(background, shard, emit, bad); err != nil {
			return out, err
		}
	}
	fn.FinishBundle(background, emit, bad)
	return out, err
}

// TestBundleRetried repeats bundles that stopped, with an error or without one, on the same instance.
// Their outputs equal the outputs of a fresh instance to the bit, and later bundles do not change them.
func TestBundleRetried(t *testing.T) {
	folder := t.TempDir()
	var shards []Shard
	for i, name := range []string{"a.csv", "b.csv", "c.csv"} {
		shards = append(shards, Shard{Path: writeFile(t, folder, name, csvImages(digits(), 30*i, 30*i+30))})
	}
	wrong := strings.Replace(string(csvImages(digits(), 0, 20)), "\n", "\n3,oh\n", 1)
	bad := Shard{Path: writeFile(t, folder, "bad.csv", []byte(wrong))}
	model := sampleFile(t, modelfile.Metadata{})
	none := func(int64, *State) { t.Error("an unfinished bundle has an output") }
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		opt := Options{Targets: []string{"1"}, Batch: 20, Method: method}
		want, err := bundle(newLearnFn(t, model, opt), shards...)
		testutil.NoError(t, err)
		if want.samples != 90 || want.key != keyOf(shards[0]) || want.bad != nil {
			t.Fatalf("%v: %d samples of 90, %q", method, want.samples, want.bad)
		}
		fn, all := newLearnFn(t, model, opt), []outputs{}
		for stop := range len(shards) {
			fn.StartBundle(background, none, nil)
			for _, shard := range shards[:stop] {
				testutil.NoError(t, fn.ProcessElement(background, shard, none, nil))
			}
			if err := fn.ProcessElement(background, bad, none, nil); err == nil {
				t.Fatal("a bad row was learned")
			}
			got, err := bundle(fn, shards...)
			if err != nil || got.key != want.key || !bytes.Equal(got.state, want.state) {
				t.Errorf("%v: a bundle that was stopped after %d shards has another output when repeated (%v)", method, stop, err)
			}
			all = append(all, got)
		}
		for _, out := range all {
			if !bytes.Equal(encoded(t, out.emitted), out.state) {
				t.Errorf("%v: the state of a bundle has changed after it was handed out", method)
			}
		}
		if got, err := bundle(fn); err != nil || got.state != nil {
			t.Errorf("%v: a bundle without shards has a state (%v)", method, err)
		}
	}
}

// A faulty is a shard with faults, or without samples.
type faulty struct {
	name  string
	x, y  []byte // nil if the file does not exist
	opt   Options
	rows  int      // samples that are left after bad rows are set aside
	bad   []string // the messages about bad rows
	fatal string   // the message about the file
}

// faultyShards returns shards with each kind of fault that package stream reports.
func faultyShards(t testing.TB) []faulty {
	text := csvImages(digits(), 0, 9)
	// The 2nd and 4th sample have a bad cell and the 6th a bad label.
	lines := strings.SplitAfter(string(text), "\n")
	for i, cell := range map[int]int{1: 4, 3: 784, 5: 0} {
		cells := strings.Split(lines[i], ",")
		cells[cell] = map[int]string{1: "oh", 3: "NaN\n", 5: "eleven"}[i]
		lines[i] = strings.Join(cells, ",")
	}
	wide := npy.AppendFloats(npy.AppendHeader(nil, npy.Float64, 2, 3), make([]float64, 6))
	nan := npyMatrix(digits().Dense(0, 3))
	binary.LittleEndian.PutUint64(nan[len(nan)-8*784-16:], math.Float64bits(math.NaN()))
	whole := testutil.Gzipped(text)
	header := []byte("label" + strings.Repeat(",p", 784))
	noRows := npy.AppendHeader(nil, npy.Float64, 0, 784)
	three, named := idxImages(digits(), 0, 3), digits().Labels[:3]
	csv, none := Options{Targets: []string{"1"}, KnownLabels: true}, Options{}
	return []faulty{
		{"rows.csv", []byte(strings.Join(lines, "")), nil, csv, 6, []string{
			`rows.csv:2: column 5 is "oh"`, "rows.csv:4: column 785 ", `rows.csv:6: the label "eleven" is not a class of the model ("0", "1",`}, ""},
		{"width.csv", slices.Concat(text, []byte("1,2,3\n")), nil, csv, 9, []string{"width.csv:10: "}, ""},
		{"short.csv.gz", whole[:len(whole)/2], nil, csv, 0, nil, "short.csv.gz: the data is cut off"},
		{"missing.csv", nil, nil, csv, 0, nil, "missing.csv: cannot be opened: "},
		{"wide.npy", wide, idxLabels([]byte{1, 2}), none, 0, nil, "wide.npy: has 3 input columns, but the model has 784"},
		{"nan.npy", nan, idxLabels(named), none, 2, []string{"nan.npy, row 2: column 783"}, ""},
		{"few.idx", three, idxLabels(named[:2]), none, 0, nil, "few.idx.y.idx: has 2 targets, but "},
		{"class.idx", three, idxLabels([]byte{1, 77, 2}), Options{KnownLabels: true}, 2, []string{"class.idx, row 2: target in "}, ""},
		{"bytes.csv", []byte{}, nil, csv, 0, nil, ""},
		{"header.csv", header, nil, Options{Targets: []string{"label"}}, 0, nil, ""},
		{"rows.npy", noRows, idxLabels(nil), none, 0, nil, ""},
		{"names.csv", header, idxLabels(nil), none, 0, nil, ""},
	}
}

func (f *faulty) write(t testing.TB, folder string) Shard {
	s := Shard{Path: folder + "/" + f.name}
	if f.x != nil {
		writeFile(t, folder, f.name, f.x)
	}
	if f.y != nil {
		s.Targets = writeFile(t, folder, f.name+".y.idx", f.y)
	}
	return s
}

// TestFaults reads shards with faults and without samples, local and remote. The first fault is an
// error, or bad rows are set aside, up to the limit.
func TestFaults(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	for folder, batches := range map[string][]int{t.TempDir(): {1, 2, 100}, "memfs://faults": {2}} {
		for _, f := range faultyShards(t) {
			shard := f.write(t, folder)
			for _, batch := range batches {
				for _, limit := range []int{0, len(f.bad) - 1, len(f.bad), 3} {
					opt, want := f.opt, f.fatal
					opt.Batch, opt.SkipBad = batch, int64(limit)
					switch {
					case limit < 0:
						continue
					case limit == 0 && f.bad != nil:
						want = f.bad[0]
					case limit < len(f.bad):
						want = fmt.Sprintf("there are more bad rows than the %d that may be set aside (the last is %s", limit, shard.Path)
					}
					at := fmt.Sprintf("%s, batches of %d, at most %d bad", shard.Path, batch, limit)
					out, err := bundle(newLearnFn(t, model, opt), shard)
					if want != "" {
						if err == nil || !strings.HasPrefix(err.Error(), "scaleout: ") || !strings.Contains(err.Error(), want) {
							t.Errorf("%s: %v; want %q", at, err, want)
						}
						continue
					}
					slices.Sort(out.bad)
					if err != nil || out.samples != f.rows || (out.state == nil) != (f.rows == 0) || len(out.bad) != len(f.bad) {
						t.Fatalf("%s: learned %d samples, set aside %q: %v", at, out.samples, out.bad, err)
					}
					for i, text := range f.bad {
						if !strings.Contains(out.bad[i], text) {
							t.Errorf("%s: set aside %q, want %q", at, out.bad[i], text)
						}
					}
				}
			}
		}
	}
}

// TestFaultsTogether fits to all shards with bad rows at once, and to good shards. The limit applies to
// the bad rows of all shards together.
func TestFaultsTogether(t *testing.T) {
	folder := t.TempDir()
	sh := shards(t, t.TempDir(), "csv", digits(), 3)
	total, rows := 0, digits().Len()
	for _, f := range faultyShards(t) {
		if strings.HasSuffix(f.name, ".csv") && f.rows > 0 {
			sh.patterns = append(sh.patterns, f.write(t, folder).Path)
			total, rows = total+len(f.bad), rows+f.rows
		}
	}
	opt := Options{
		Model: sampleFile(t, modelfile.Metadata{}), Lambda: 1e-3, Targets: sh.columns, KnownLabels: true, Batch: 16,
		SkipBad: int64(total), BadOut: folder + "/bad.txt", Out: folder + "/m.bls",
	}
	f, result := sh.fit(t, opt)
	listed := bytes.Count(readAll(t, opt.BadOut), []byte("\n"))
	if n := f.Classifier.Updater().Samples(); n != rows || counter(result, MetricRows) != int64(n) || counter(result, MetricBad) != int64(total) || listed != total {
		t.Errorf("learned %d samples, want %d; listed %d bad rows, want %d", n, rows, listed, total)
	}
	opt.SkipBad--
	fails(t, func(s beam.Scope) { Fit(s, sh.patterns, nil, opt) }, fmt.Sprintf("the number of bad rows is %d", total), fmt.Sprintf("but at most %d may be set aside", total-1), folder)
}

// TestReadStopped checks that a canceled context is an error, but not a fault of the file, and that no
// worker waits for standard input.
func TestReadStopped(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	path := writeFile(t, t.TempDir(), "x.csv", csvImages(digits(), 0, 9))
	ctx, cancel := context.WithCancel(background)
	cancel()
	for _, skip := range []int64{0, 3} {
		fn := newLearnFn(t, model, Options{Targets: []string{"1"}, SkipBad: skip})
		fn.StartBundle(ctx, nil, nil)
		err := fn.ProcessElement(ctx, Shard{Path: path}, nil, func(line string) { t.Error(line) })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("skipping %d: %v", skip, err)
		}
	}
	for _, shard := range []Shard{{Path: "-"}, {Path: "x.npy", Targets: "-"}} {
		if _, err := bundle(newLearnFn(t, model, Options{}), shard); err == nil || !strings.Contains(err.Error(), "standard input, which workers cannot read") {
			t.Errorf("%+v: %v", shard, err)
		}
	}
}
