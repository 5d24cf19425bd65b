package stream

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checkArray reads the matrix as an array, from every source, with all columns and
// with some. Labels are the last column, in which numbers that are not whole are bad.
func checkArray(t *testing.T, name, descr string, values []float64, rows, cols int, sizes ...int) {
	t.Helper()
	array := append(npyHeader(1, descr, false, rows, cols), elementsOf(t, descr, values)...)
	fortran := append(npyHeader(1, descr, true, rows, cols), arrayBytes(t, descr, true, values, rows, cols)...)
	for k, opt := range []Options{{}, {Targets: []string{"1"}}, {Inputs: []string{"1"}, Targets: []string{strconv.Itoa(cols)}, Classes: true}} {
		if k > 0 && cols == 1 {
			continue
		}
		var want []sampleAt
		for row := range rows {
			x := values[row*cols : (row+1)*cols]
			s := sampleAt{place: Place{Row: int64(row + 1)}}
			if slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 }) || k == 2 && x[cols-1] != math.Trunc(x[cols-1]) {
				s.fault = s.place
			}
			switch {
			case s.bad():
			case k == 0:
				s.x = x
			case k == 1:
				s.x, s.y = x[1:], x[:1]
			default:
				s.x, s.label = x[:1], fmt.Sprint(x[cols-1])
			}
			want = append(want, s)
		}
		way := func(name, path string, data []byte, opt Options) {
			checkLeftOut(t, name, func(bad func(*Error) error) (*Reader, error) {
				if data != nil {
					opt.Stdin = bytes.NewReader(data)
				}
				opt.Bad = bad
				return Open(t.Context(), []string{path}, opt)
			}, at(path, want), sizes...)
		}
		name := fmt.Sprintf("%s, %s, options %d", name, descr, k)
		way(name+", Fortran", write(t, "x.npy", fortran), nil, opt)
		if rows*cols > panelElements { // of which all is said
			return
		}
		way(name, write(t, "x.npy", array), nil, opt)
		way(name+", stdin", stdinPath, array, opt)
		way(name+", packed", stdinPath, zipped(array), opt)
		way(name+", .npz", write(t, "x.npz", npz(t, member{"X.npy", array, zip.Deflate})), nil, opt)
	}
}

// TestBadArrays reads arrays with random bad elements of each type: arrays of one and more pieces and
// panels, and samples longer than a piece.
func TestBadArrays(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	for _, form := range []struct {
		rows, cols int
		share      float64 // of the samples that are bad
		sizes      []int
	}{
		{1, 1, 1, []int{1}}, {30, 1, 0.5, []int{1, 7}}, {3000, 2, 0.5, []int{7, 1 << 20}}, {40_000, 3, 0.01, []int{1000, 1 << 20}}, {10_000, 3, 1, []int{5}},
		{12, arrayPiece/8 + 5, 0.5, []int{1, 3, 100}}, {5, 2*arrayPiece/8 + 1, 0.7, []int{2}}, {2*panelElements/3 + 5, 3, 1e-4, []int{100_003}},
	} {
		if form.rows >= 10_000 && form.rows*form.cols < panelElements && testing.Short() {
			form.rows /= 2
		}
		values := make([]float64, form.rows*form.cols)
		for i := range values {
			values[i] = float64(1 + i%2000)
		}
		for row := range form.rows {
			if rng.Float64() < form.share {
				for range 1 + rng.IntN(3) {
					col := []int{0, form.cols - 1, rng.IntN(form.cols)}[rng.IntN(3)]
					values[row*form.cols+col] = []float64{math.NaN(), math.Inf(-1), math.Inf(1), 2.5}[rng.IntN(4)]
				}
			}
		}
		checkArray(t, fmt.Sprintf("%d×%d, %v bad", form.rows, form.cols, form.share), "<f8", values, form.rows, form.cols, form.sizes...)
	}
	const rows, cols = 4, 3
	for _, descr := range []string{"<f8", ">f8", "<f4", ">f2", "<f2", "<i8", ">i8"} {
		for element := range rows * cols {
			values := count(1, rows*cols)
			values[element] = []float64{math.NaN(), math.Inf(1)}[element%2]
			checkArray(t, fmt.Sprint(element), descr, values, rows, cols, 1, 2, 9)
		}
	}
}

// A badSide is the inputs or the targets of a pair: a file, and which of its rows are bad.
type badSide struct {
	name  string
	data  []byte
	row   func(i int) float64 // the number in row i, of the label or the first input
	bad   []bool
	place func(i int) Place
	cols  int // 0 for labels
}

// badSides returns n rows in every format, with the share of bad ones at random.
func badSides(t *testing.T, rng *rand.Rand, n int, share float64) []badSide {
	t.Helper()
	row := func(i int) float64 { return float64(i % 1000) }
	rows := func(i int) Place { return Place{Row: int64(i + 1)} }
	mixed := func() (values []float64, bad []bool) {
		for i := range n {
			bad = append(bad, rng.Float64() < share)
			values = append(values, row(i))
			if bad[i] {
				values[i] = math.NaN()
			}
		}
		return values, bad
	}
	var sides []badSide
	values, bad := mixed()
	var text, names strings.Builder
	var lines, nameLines []int64
	line := int64(1)
	for i, v := range values {
		if rng.IntN(5) == 0 {
			text.WriteString("\n")
			line++
		}
		lines = append(lines, line)
		cell := "NA"
		if !bad[i] {
			cell = strconv.FormatFloat(v, 'g', -1, 64)
		}
		fmt.Fprintf(&text, "%s\n", cell)
		line++
	}
	sides = append(sides, badSide{"x.csv", []byte(text.String()), row, bad, func(i int) Place { return Place{Line: lines[i]} }, 1})

	_, bad = mixed()
	line = 1
	for i := range n {
		nameLines = append(nameLines, line)
		if bad[i] {
			names.WriteString("\"\"")
		} else if fmt.Fprintf(&names, "%g", row(i)); i%3 == 0 {
			names.WriteString("\n")
			line++
		}
		names.WriteString("\n")
		line++
	}
	sides = append(sides, badSide{"names.csv", []byte(names.String()), row, bad, func(i int) Place { return Place{Line: nameLines[i]} }, 0})

	values, bad = mixed()
	sides = append(sides, badSide{"x.npy", append(npyHeader(1, "<f8", false, n), float64s(values...)...), row, bad, rows, 1})
	values, bad = mixed()
	sides = append(sides, badSide{"x.idx", idxFile(14, elementsOf(t, ">f8", values), uint32(n)), row, bad, rows, 1})
	values, bad = mixed()
	sides = append(sides, badSide{"whole.npy", append(npyHeader(1, ">f4", false, n, 1), elementsOf(t, ">f4", values)...), row, bad, rows, 0})
	_, bad = mixed()
	labels := npyHeader(1, "|S4", false, n)
	for i := range n {
		cell := fmt.Sprint(row(i))
		if bad[i] {
			cell = ""
		}
		labels = append(labels, cell+strings.Repeat("\x00", 4-len(cell))...)
	}
	return append(sides, badSide{"text.npy", labels, row, bad, rows, 0})
}

// TestBadPairs reads inputs and targets from two files in all formats, with random bad samples in both,
// and checks that they stay in step.
func TestBadPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, form := range []struct {
		n     int
		share float64
		sizes []int
	}{{3, 0.5, []int{1, 2}}, {40, 0.5, []int{1, 3, 100}}, {40, 1, []int{3}}, {2000, 0.2, []int{7, 1 << 20}}, {20_000, 1e-3, []int{1000}}} {
		for _, x := range badSides(t, rng, form.n, form.share) {
			if x.cols == 0 {
				continue
			}
			for _, y := range badSides(t, rng, form.n, form.share) {
				opt := Options{TargetPath: write(t, y.name, y.data), Classes: y.cols == 0}
				xPath := write(t, x.name, x.data)
				if x.name == "x.csv" {
					opt.Header = HeaderAbsent
				}
				for _, packed := range []bool{false, true} {
					if packed {
						xPath, opt.TargetPath = write(t, x.name+".gz", zipped(x.data)), write(t, y.name+".gz", zipped(y.data))
					}
					var want []sampleAt
					for i := range form.n {
						s := sampleAt{place: x.place(i)}
						s.place.Path = xPath
						switch {
						case y.bad[i]:
							s.fault = y.place(i)
							s.fault.Path = opt.TargetPath
						case x.bad[i]:
							s.fault = s.place
						}
						if s.x = []float64{x.row(i)}; y.cols > 0 {
							s.y = []float64{y.row(i)}
						} else {
							s.label = fmt.Sprint(y.row(i))
						}
						want = append(want, s)
					}
					checkLeftOut(t, fmt.Sprintf("%d of %s and %s, packed %v", form.n, x.name, y.name, packed), func(bad func(*Error) error) (*Reader, error) {
						opt.Bad = bad
						return Open(t.Context(), []string{xPath}, opt)
					}, want, form.sizes...)
				}
			}
		}
	}
}

// TestBadPairsOutOfStep reads inputs and targets that differ in number, or are damaged, with a bad
// sample before the end and at it.
func TestBadPairsOutOfStep(t *testing.T) {
	for _, test := range []struct {
		x, y string
		rows int
		says string
	}{
		{"1\n2\n3\n", "1\n2\n", 2, "y.csv: ends before the samples of"}, {"1\n2\nx\n", "1\n2\n", 2, "y.csv: ends before the samples of"},
		{"x\n2\n3\n", "1\n2\n", 1, "y.csv: ends before the samples of"}, {"1\n2\n3\n", "1\n?\n", 1, "y.csv: ends before the samples of"},
		{"1\n2\n", "1\n2\n3\n", 2, "y.csv: goes on after the last sample"}, {"1\n2\n", "1\n2\n?\n", 2, "y.csv: goes on after the last sample"},
		{"1\nx\n", "1\n2\n3\n", 1, "y.csv: goes on after the last sample"}, {"1\n2\n", "1\n?\n?\n", 1, "y.csv: goes on after the last sample"},
		{"1\n2\n", "1\n2\n3\"\n", 2, "y.csv:3: a quotation mark"}, {"1\n2\n3\"\n", "1\n?\n3\n", 1, "x.csv:3: a quotation mark"},
		{"1\n2\n3\"\n", "1\n2\n", 2, "x.csv:3: a quotation mark"}, {"1\n2\n3\"\n", "1\n2\n?\n", 2, "x.csv:3: a quotation mark"},
	} {
		rows, err := countRows(t, write(t, "x.csv", []byte(test.x)), Options{Header: HeaderAbsent, TargetPath: write(t, "y.csv", []byte(test.y))})
		if wantFault(t, test.says, err, test.says); rows != test.rows {
			t.Errorf("%q and %q: %d samples, want %d; %v", test.x, test.y, rows, test.rows, err)
		}
	}
}

// TestBadCutOff reads arrays that end too early, or have a wrong checksum, after a bad sample: that
// is a fault of the file.
func TestBadCutOff(t *testing.T) {
	values := count(1, 3*arrayPiece/8)
	values[1] = math.NaN()
	array := append(npyHeader(1, "<f8", false, 3, arrayPiece/8), float64s(values...)...)
	damaged := zipped(array)
	damaged[len(damaged)-5] ^= 1
	for _, test := range []struct {
		data []byte
		rows int
		says string
	}{
		{array[:len(array)-1], 1, "row 3: the data ends within this sample"}, {array[:len(array)/2], 0, "row 2: the data ends within this sample"},
		{array[:len(array)/6], 0, "row 1: the data ends within this sample"}, {append(slices.Clone(array), 0), 2, "goes on after the 3 samples"}, {damaged, 2, "the compressed data is damaged"},
	} {
		rows, err := countRows(t, "-", Options{Stdin: bytes.NewReader(test.data)})
		if wantFault(t, test.says, err, test.says); rows != test.rows {
			t.Errorf("%d samples before %v, want %d", rows, err, test.rows)
		}
	}
	// In the second sample of a call, after the piece with its bad element.
	long := count(1, 2*arrayPiece/4)
	long[arrayPiece/4] = math.NaN()
	data := append(npyHeader(1, "<f8", false, 2, arrayPiece/4), float64s(long...)...)
	for _, cut := range []int{arrayPiece / 2, 8, 1} {
		_, err := loadAside(t, "-", Options{Stdin: bytes.NewReader(data[:len(data)-cut])})
		wantFault(t, "cut off", err, "row 2: the data ends within this sample")
	}
	if _, err := loadAside(t, write(t, "x.npy", append(npyHeader(1, "<f8", false, 2), float64s(math.NaN(), math.NaN())...)), Options{}); err != nil {
		t.Errorf("nothing but bad samples: %v", err)
	}
}
