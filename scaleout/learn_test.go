package scaleout

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/npy"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// outputs are those of a bundle, with the state encoded.
type outputs struct {
	key     int64
	state   []byte // empty without one
	samples int
	bad     []string
}

// newLearnFn returns a step that is set up.
func newLearnFn(t testing.TB, model string, opt Options) *learnFn {
	t.Helper()
	opt.Model, opt.Out = model, "not written"
	fn := &learnFn{withModel: useModel(model), Options: opt.resolve()}
	fn.Options.Batch = opt.rows(fn.base.inputs())
	return fn
}

// bundle runs a bundle and returns its outputs.
func bundle(fn *learnFn, shards ...Shard) (out outputs, err error) {
	emit := func(key int64, s *State) {
		out.key, out.samples = key, s.updater.Samples()
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

// TestBundleRetried repeats bundles that stopped, with an error and without one, on the same instance.
// Their outputs are those of a fresh instance to the bit.
func TestBundleRetried(t *testing.T) {
	folder := t.TempDir()
	var shards []Shard
	for i, name := range []string{"a.csv", "b.csv", "c.csv"} {
		shards = append(shards, Shard{Path: writeFile(t, folder, name, csvImages(digits(), 30*i, 30*i+30))})
	}
	wrong := strings.Replace(string(csvImages(digits(), 0, 20)), "\n", "\n3,oh\n", 1)
	bad := Shard{Path: writeFile(t, folder, "bad.csv", []byte(wrong))}
	model := sampleFile(t, modelfile.Metadata{})
	none := func(int64, *State) { t.Error("an output of a bundle that is not finished") }
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		opt := Options{Targets: []string{"1"}, Batch: 20, Method: method}
		want, err := bundle(newLearnFn(t, model, opt), shards...)
		testutil.NoError(t, err)
		if want.samples != 90 || want.key != keyOf(shards[0]) || want.bad != nil {
			t.Fatalf("%v: %d samples of 90, %q", method, want.samples, want.bad)
		}
		fn := newLearnFn(t, model, opt)
		for stop := range len(shards) {
			fn.StartBundle(background, none, nil)
			for _, shard := range shards[:stop] {
				testutil.NoError(t, fn.ProcessElement(background, shard, none, nil))
			}
			if err := fn.ProcessElement(background, bad, none, nil); err == nil {
				t.Fatal("a bad row is learned")
			}
			got, err := bundle(fn, shards...)
			if err != nil || got.key != want.key || !bytes.Equal(got.state, want.state) {
				t.Errorf("%v: a bundle that was stopped after %d shards and run again has another output (%v)", method, stop, err)
			}
		}
		if got, err := bundle(fn); err != nil || got.state != nil {
			t.Errorf("%v: a bundle without shards has a state (%v)", method, err)
		}
	}
}

// TestBundlesApart checks that a bundle does not change the output of the one before.
func TestBundlesApart(t *testing.T) {
	shard := Shard{Path: writeFile(t, t.TempDir(), "x.csv", csvImages(digits(), 0, 40))}
	fn := newLearnFn(t, sampleFile(t, modelfile.Metadata{}), Options{Targets: []string{"1"}, Batch: 20})
	var states []*State
	emit := func(_ int64, s *State) { states = append(states, s) }
	var before []byte
	for range 2 {
		fn.StartBundle(background, emit, nil)
		testutil.NoError(t, fn.ProcessElement(background, shard, emit, nil))
		fn.FinishBundle(background, emit, nil)
		if before == nil {
			before = encoded(t, states[0])
		}
	}
	if !bytes.Equal(before, encoded(t, states[0])) {
		t.Error("the state of a bundle has changed after it was handed out")
	}
}

// damaged returns gzip whose checksum is wrong.
func damaged(t testing.TB, data []byte) []byte {
	out := packed(t, data)
	out[len(out)-6] ^= 1
	return out
}

// line returns a line of a text with the pixels of an image.
func line(label string, image int) string {
	text := strings.TrimSpace(string(csvImages(digits(), image, image+1)))
	return label + text[strings.Index(text, ","):] + "\n"
}

// spoiled returns a text of 9 samples. The 2nd and 4th have a bad cell and the 6th a bad label.
func spoiled() []byte {
	lines := strings.SplitAfter(string(csvImages(digits(), 0, 9)), "\n")
	cell := func(i, col int, text string) {
		cells := strings.Split(lines[i], ",")
		cells[col-1] = text
		lines[i] = strings.Join(cells, ",")
	}
	cell(1, 5, "oh")
	cell(3, 785, "NaN\n")
	lines[5] = line("eleven", 5)
	return []byte(strings.Join(lines, ""))
}

// A faulty is a shard with faults, and the messages about them.
type faulty struct {
	name    string
	x, y    []byte // y is nil where x has the labels
	rows    int    // samples that are left when bad rows are set aside; 0 for a fault of the file
	bad     []string
	noFile  bool
	options Options
}

// faultyShards are shards with all kinds of faults.
func faultyShards(t testing.TB) []faulty {
	text := csvImages(digits(), 0, 9)
	labelled := Options{Targets: []string{"1"}, KnownLabels: true}
	wide := npy.AppendFloats(npy.AppendHeader(nil, npy.Float64, 2, 3), make([]float64, 6))
	nan := npyMatrix(digits().Dense(0, 3))
	binary.LittleEndian.PutUint64(nan[len(nan)-8*784-16:], math.Float64bits(math.NaN()))
	whole := packed(t, text)
	return []faulty{
		{"rows.csv", spoiled(), nil, 6, []string{`rows.csv:2: column 5 is "oh"`, "rows.csv:4: column 785 ", `rows.csv:6: the label "eleven" is none of the 10 classes of the model ("0", "1",`}, false, labelled},
		{"width.csv", slices.Concat(text, []byte("1,2,3\n")), nil, 9, []string{"width.csv:10: "}, false, labelled},
		{"quoted.csv", slices.Concat(text, []byte("\"1,2\n")), nil, 0, []string{"quoted.csv:10"}, false, labelled},
		{"short.csv.gz", whole[:len(whole)/2], nil, 0, []string{"short.csv.gz: the compressed data is cut off"}, false, labelled},
		{"sum.csv.gz", damaged(t, text), nil, 0, []string{"sum.csv.gz: the compressed data is damaged"}, false, labelled},
		{"missing.csv", nil, nil, 0, []string{"missing.csv: cannot be opened: no such file"}, true, labelled},
		{"wide.npy", wide, npyLabels([]byte{1, 2}), 0, []string{"wide.npy: has 3 columns of inputs, and the model 784"}, false, Options{}},
		{"nan.npy", nan, npyLabels(digits().Labels[:3]), 2, []string{"nan.npy, row 2: column 783"}, false, Options{}},
		{"cut.npy", npyMatrix(digits().Dense(0, 3))[:10000], npyLabels(digits().Labels[:3]), 0, []string{"cut.npy: "}, false, Options{}},
		{"few.idx", idxImages(digits(), 0, 3), idxLabels(digits().Labels[:2]), 0, []string{"few.idx.y.idx: has 2 targets, but "}, false, Options{}},
		{"class.idx", idxImages(digits(), 0, 3), idxLabels([]byte{1, 77, 2}), 2, []string{"class.idx, row 2: of "}, false, Options{KnownLabels: true}},
		{"cut.idx", idxImages(digits(), 0, 3)[:2000], idxLabels(digits().Labels[:3]), 0, []string{"cut.idx: "}, false, Options{}},
		{"labels.idx", idxImages(digits(), 0, 3), []byte("no idx"), 0, []string{"labels.idx.y.idx: "}, false, Options{}},
	}
}

func (f *faulty) write(t testing.TB, folder string) Shard {
	s := Shard{Path: filepath.Join(folder, f.name)}
	if !f.noFile {
		writeFile(t, folder, f.name, f.x)
	}
	if f.y != nil {
		s.Targets = writeFile(t, folder, f.name+".y.idx", f.y)
		if bytes.HasPrefix(f.y, []byte(npy.Magic)) {
			s.Targets = writeFile(t, folder, f.name+".y.npy", f.y)
		}
	}
	return s
}

// TestFaults reads shards with faults: the first is an error, or all are set aside, up to the limit.
func TestFaults(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	for _, f := range faultyShards(t) {
		t.Run(f.name, func(t *testing.T) {
			shard := f.write(t, t.TempDir())
			_, err := bundle(newLearnFn(t, model, f.options), shard)
			if err == nil || !strings.HasPrefix(err.Error(), "scaleout: stream: ") || !strings.Contains(err.Error(), f.bad[0]) {
				t.Errorf("the error is %v, and should have %q", err, f.bad[0])
			}
			opt := f.options
			for _, opt.Batch = range []int{1, 2, 100} {
				opt.SkipBad = int64(len(f.bad))
				out, err := bundle(newLearnFn(t, model, opt), shard)
				if f.rows == 0 { // a fault of the file, and not of rows
					if err == nil || !strings.Contains(err.Error(), f.bad[0]) {
						t.Errorf("batches of %d: the error is %v, and should have %q", opt.Batch, err, f.bad[0])
					}
					continue
				}
				testutil.NoError(t, err)
				if out.samples != f.rows {
					t.Errorf("batches of %d: %d samples are learned, and should be %d", opt.Batch, out.samples, f.rows)
				}
				slices.Sort(out.bad)
				if len(out.bad) != len(f.bad) {
					t.Fatalf("batches of %d: set aside are %q", opt.Batch, out.bad)
				}
				for i, text := range f.bad {
					if !strings.Contains(out.bad[i], text) {
						t.Errorf("batches of %d: set aside is %q, and should be %q", opt.Batch, out.bad[i], text)
					}
				}
				opt.SkipBad = int64(len(f.bad) - 1)
				if opt.SkipBad == 0 {
					continue
				}
				if _, err := bundle(newLearnFn(t, model, opt), shard); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("more than %d bad rows, the last of which is: %s", opt.SkipBad, shard.Path)) {
					t.Errorf("batches of %d: one row too many is bad: %v", opt.Batch, err)
				}
			}
		})
	}
}

// TestFaultsTogether fits to all shards with bad rows at once, beside good ones. The limit is that of
// all together.
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
		t.Errorf("%d samples are learned, and should be %d; %d bad rows are listed of %d", n, rows, listed, total)
	}
	opt.SkipBad--
	fails(t, func(s beam.Scope) { Fit(s, sh.patterns, nil, opt) }, fmt.Sprintf("%d bad rows, and the limit is %d", total, total-1), folder)
}

// TestRemoteFaults checks that faults of remote files, a missing one too, name them.
func TestRemoteFaults(t *testing.T) {
	const folder = "memfs://faults"
	whole := packed(t, csvImages(digits(), 0, 9))
	for name, data := range map[string][]byte{"bad.csv": spoiled(), "cut.csv.gz": whole[:len(whole)-20], "empty.csv": nil} {
		writeFile(t, folder, name, data)
	}
	for name, want := range map[string]string{
		"bad.csv": ":2: column 5", "cut.csv.gz": ": the compressed data is cut off", "gone.csv": ": cannot be opened", "empty.csv": "",
	} {
		path := folder + "/" + name
		_, err := bundle(newLearnFn(t, sampleFile(t, modelfile.Metadata{}), Options{Targets: []string{"1"}}), Shard{Path: path})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), path+want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEmpty reads shards without samples.
func TestEmpty(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	folder := t.TempDir()
	none := &dataset.Images{Rows: 28, Cols: 28}
	labelled := Options{Targets: []string{"1"}}
	var header strings.Builder
	header.WriteString("label")
	for i := range 784 {
		fmt.Fprintf(&header, ",p%d", i)
	}
	noRows := npy.AppendHeader(nil, npy.Float64, 0, 784)
	noLabels := npy.AppendHeader(nil, npy.Int64, 0)
	for _, test := range []struct {
		name   string
		x, y   []byte
		opt    Options
		refuse string
	}{
		{"bytes.csv", nil, nil, labelled, ""},
		{"lines.csv", []byte("\n\r\n\n"), nil, labelled, ""},
		{"bytes.csv.gz", packed(t, nil), nil, labelled, ""},
		{"header.csv", []byte(header.String() + "\n"), nil, Options{Targets: []string{"label"}}, ""},
		{"rows.npy", noRows, noLabels, Options{}, ""},
		{"rows.npy.gz", packed(t, noRows), noLabels, Options{}, ""},
		{"images.idx", idxImages(none, 0, 0), idxLabels(nil), Options{}, ""},
		{"labels.npy", noRows, npyLabels([]byte{1}), Options{}, "labels.npy: "},
		{"more.npy", append(slices.Clone(noRows), 1), noLabels, Options{}, "more.npy: "},
		{"cut.csv.gz", packed(t, nil)[:15], nil, labelled, "cut.csv.gz: "},
		{"space.csv", []byte("  \n"), nil, labelled, "space.csv: "},
		{"columns.npy", npy.AppendHeader(nil, npy.Float64, 2, 0), npyLabels([]byte{1, 2}), Options{}, "columns.npy: "},
	} {
		f := faulty{name: test.name, x: test.x, y: test.y}
		shard := f.write(t, folder)
		for _, test.opt.SkipBad = range []int64{0, 3} {
			out, err := bundle(newLearnFn(t, model, test.opt), shard)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if out.state != nil || out.bad != nil || (said == "") != (test.refuse == "") || !strings.Contains(said, test.refuse) {
				t.Errorf("%s, skipping %d: %d samples, %s", test.name, test.opt.SkipBad, out.samples, said)
			}
		}
	}
}

// TestReadStopped checks that a canceled context is an error, and not a fault of the file, and that no
// worker waits for its standard input.
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
		if _, err := bundle(newLearnFn(t, model, Options{}), shard); err == nil || !strings.Contains(err.Error(), "standard input, which no worker has") {
			t.Errorf("%+v: %v", shard, err)
		}
	}
}
