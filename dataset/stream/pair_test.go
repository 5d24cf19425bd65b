package stream

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
)

// A side is the inputs or the targets of a pair: a file, where its rows are, and which of them are bad.
type side struct {
	name   string
	data   []byte
	labels bool
	places []Place
	bad    []bool
}

// rowValue is the number in row i of a side, as the label or the input.
func rowValue(i int) float64 { return float64(i % 1000) }

// sides returns n rows in texts and arrays, a random share of them bad. Pairs know no formats.
func sides(t *testing.T, rng *rand.Rand, n int, share float64) (all []side) {
	t.Helper()
	text := func(missing string) func([]float64, []Place) []byte {
		return func(values []float64, places []Place) (out []byte) {
			for i, v := range values {
				cell := missing
				if v == v {
					cell = fmt.Sprintf("%30v", v) // so that 3000 lines are more than one piece
				}
				out = fmt.Appendln(out, cell)
				places[i] = Place{Line: int64(i + 1)}
			}
			return out
		}
	}
	for _, f := range []struct {
		name   string
		labels bool
		encode func([]float64, []Place) []byte // of NaN for bad rows; it gives texts their places
	}{
		{"x.csv", false, text("NA")}, {"names.csv", true, text("\"\"")},
		{"x.npy", false, func(v []float64, _ []Place) []byte { return append(npyHeader(1, "<f8", false, n), float64s(v...)...) }},
		{"whole.npy", true, func(v []float64, _ []Place) []byte {
			return append(npyHeader(1, ">f4", false, n, 1), elementsOf(">f4", v)...)
		}},
	} {
		s := side{name: f.name, labels: f.labels, places: make([]Place, n), bad: make([]bool, n)}
		values := make([]float64, n)
		for i := range n {
			values[i], s.places[i].Row = rowValue(i), int64(i+1)
			if s.bad[i] = rng.Float64() < share; s.bad[i] {
				values[i] = math.NaN()
			}
		}
		s.data = f.encode(values, s.places)
		all = append(all, s)
	}
	return all
}

// TestBadPairs reads inputs and targets from two files, with random bad samples in both, and checks
// that they stay in step.
func TestBadPairs(t *testing.T) {
	testutil.NotUnderRace(t, "one reader of many files")
	testutil.NotEmulated(t, "many files")
	rng := rand.New(rand.NewPCG(2, 9))
	for _, form := range []struct {
		n     int
		share float64
		sizes []int
	}{{3, 0.5, []int{1, 2}}, {40, 0.5, []int{1, 3, 100}}, {40, 1, []int{3}}, {3000, 0.05, []int{7, 1 << 20}}} {
		for _, x := range sides(t, rng, form.n, form.share) {
			if x.labels {
				continue
			}
			for _, y := range sides(t, rng, form.n, form.share) {
				for _, packed := range []bool{false, true} {
					opt := Options{TargetPath: write(t, y.name, y.data), Classes: y.labels}
					path := write(t, x.name, x.data)
					if packed {
						path, opt.TargetPath = write(t, x.name+".gz", zipped(x.data)), write(t, y.name+".gz", zipped(y.data))
					}
					if x.name == "x.csv" {
						opt.Header = HeaderAbsent
					}
					want := make([]sampleAt, form.n)
					for i := range want {
						s := &want[i]
						s.x, s.place, s.y = []float64{rowValue(i)}, x.places[i], []float64{rowValue(i)}
						s.place.Path = path
						if y.labels {
							s.y, s.label = nil, fmt.Sprint(rowValue(i))
						}
						if y.bad[i] {
							s.fault = y.places[i]
							s.fault.Path = opt.TargetPath
						} else if x.bad[i] {
							s.fault = s.place
						}
					}
					checkLeftOut(t, fmt.Sprintf("%d of %s and %s, packed %v", form.n, x.name, y.name, packed), func(bad func(*Error) error) (*Reader, error) {
						opt.Bad = bad
						return Open(t.Context(), []string{path}, opt)
					}, want, form.sizes...)
				}
			}
		}
	}
}

// TestPairsOutOfStep reads inputs and targets that differ in number, or are damaged, with a bad sample
// before the end and at it.
func TestPairsOutOfStep(t *testing.T) {
	for _, test := range []struct {
		x, y string
		rows int
		says string
	}{
		{"1\n2\n3\n", "1\n2\n", 2, "y.csv: ends before the last sample of"}, {"1\n2\nx\n", "1\n2\n", 2, "y.csv: ends before the last sample of"},
		{"x\n2\n3\n", "1\n2\n", 1, "y.csv: ends before the last sample of"}, {"1\n2\n3\n", "1\n?\n", 1, "y.csv: ends before the last sample of"},
		{"1\n2\n", "1\n2\n3\n", 2, "y.csv: continues after the last sample"}, {"1\n2\n", "1\n2\n?\n", 2, "y.csv: continues after the last sample"},
		{"1\nx\n", "1\n2\n3\n", 1, "y.csv: continues after the last sample"}, {"1\n2\n", "1\n?\n?\n", 1, "y.csv: continues after the last sample"},
		{"1\n2\n", "1\n2\n3\"\n", 2, "y.csv:3: a quotation mark"}, {"1\n2\n3\"\n", "1\n?\n3\n", 1, "x.csv:3: a quotation mark"},
		{"1\n2\n3\"\n", "1\n2\n", 2, "x.csv:3: a quotation mark"}, {"1\n2\n3\"\n", "1\n2\n?\n", 2, "x.csv:3: a quotation mark"},
	} {
		all, err := loadAside(t, write(t, "x.csv", []byte(test.x)), Options{Header: HeaderAbsent, TargetPath: write(t, "y.csv", []byte(test.y))})
		if wantFault(t, test.says, err, test.says); all.rows != test.rows {
			t.Errorf("%q and %q: %d samples, want %d; %v", test.x, test.y, all.rows, test.rows, err)
		}
	}
	labels := func(text string) Options { return Options{TargetPath: write(t, "y.csv", []byte(text)), Classes: true} }
	x := []string{write(t, "x.csv", []byte("1\n2\n"))}
	wantTable(t, x, labels("kind\n1\n2\n"), table{x: []float64{1, 2}, labels: []string{"1", "2"}}) // a name above numbers
	_, err := load(t, x, labels("kind\nred\nblue\n"))
	wantFault(t, "a name above words", err, "each target needs a sample; if its first line is a name, delete that line")
}
