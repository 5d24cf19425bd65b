package stream

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"blskernel/internal/io/memory"
	"blskernel/internal/testutil"
)

// checkArray reads the matrix as an array, from every source, with all columns and
// with some. Labels are the last column, in which numbers that are not whole are bad.
func checkArray(t *testing.T, name, descr string, values []float64, rows, cols int, sizes ...int) {
	t.Helper()
	fortran := append(npyHeader(1, descr, true, rows, cols), arrayBytes(descr, true, values, rows, cols)...)
	for k, opt := range []Options{{}, {Targets: []string{"1"}}, {Inputs: []string{"1"}, Targets: []string{strconv.Itoa(cols)}, Classes: true}} {
		if k > 0 && cols == 1 {
			continue
		}
		var want []sampleAt
		for row := range rows {
			x := values[row*cols : (row+1)*cols]
			s := sampleAt{place: Place{Row: int64(row + 1)}}
			read := x
			if k == 2 { // all other columns may hold anything
				read = []float64{x[0], x[cols-1]}
			}
			if slices.ContainsFunc(read, func(v float64) bool { return v-v != 0 }) || k == 2 && x[cols-1] != math.Trunc(x[cols-1]) {
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
		if rows*cols > panelElements { // about which everything has been said
			return
		}
		array := append(npyHeader(1, descr, false, rows, cols), elementsOf(descr, values)...)
		way(name, write(t, "x.npy", array), nil, opt)
		way(name+", stdin", stdinPath, array, opt)
		way(name+", packed", stdinPath, zipped(array), opt)
		way(name+", .npz", write(t, "x.npz", npz(t, member{"X.npy", array, zip.Deflate})), nil, opt)
	}
}

// TestBadArrays reads arrays with random bad elements: arrays of one and more pieces and panels,
// samples longer than a piece, and arrays of every type, with one bad element in each place.
func TestBadArrays(t *testing.T) {
	testutil.NotUnderRace(t, "one reader of many arrays")
	testutil.NotEmulated(t, "many arrays")
	rng := rand.New(rand.NewPCG(4, 9))
	for _, form := range []struct {
		rows, cols int
		share      float64 // of the samples that are bad
		sizes      []int
	}{
		{1, 1, 1, []int{1}}, {30, 1, 0.5, []int{1, 7}}, {3000, 2, 0.5, []int{7, 1 << 20}}, {12_000, 3, 0.01, []int{1000, 1 << 20}}, {3000, 3, 1, []int{5}},
		{5, memory.FirstRead/8 + 5, 0.5, []int{3}}, {3, 2*memory.FirstRead/8 + 1, 0.7, []int{2}}, {panelElements/1000 + 400, 1000, 0.01, []int{103}},
	} {
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
	for i, descr := range []string{"<f8", "|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4",
		"<i8", ">i8", "<u8", ">u8", "<f2", ">f2", "<f4", ">f4", ">f8"} {
		for element := range rows * cols {
			if i > 0 && element%5 != i%5 {
				continue
			}
			values := count(1, rows*cols)
			switch {
			case descr == "|b1":
				for i := range values {
					values[i] = float64(i % 2)
				}
			case descr[1] == 'f' || descr[2] == '8': // all others are exact
				values[element] = []float64{math.NaN(), math.Inf(1)}[element%2]
			}
			checkArray(t, fmt.Sprint(element), descr, values, rows, cols, 1, 2, 9)
		}
	}
}

// TestBadCutOff reads arrays that end too early, or have a wrong checksum, after a bad sample: that
// is a fault of the file.
func TestBadCutOff(t *testing.T) {
	values := count(1, 3*memory.FirstRead/8)
	values[1] = math.NaN()
	array := append(npyHeader(1, "<f8", false, 3, memory.FirstRead/8), float64s(values...)...)
	damaged := zipped(array)
	damaged[len(damaged)-5] ^= 1
	for _, test := range []struct {
		data []byte
		rows int
		says string
	}{
		{array[:len(array)-1], 1, "row 3: the data ends before the end of this sample"}, {array[:len(array)/2], 0, "row 2: the data ends before the end of this sample"},
		{array[:len(array)/6], 0, "row 1: the data ends before the end of this sample"}, {append(slices.Clone(array), 0), 2, "continues after the 3 samples"}, {damaged, 2, "the data is damaged"},
	} {
		all, err := loadAside(t, "-", Options{Stdin: bytes.NewReader(test.data)})
		if wantFault(t, test.says, err, test.says); all.rows != test.rows {
			t.Errorf("%d samples before %v, want %d", all.rows, err, test.rows)
		}
	}
	// In the second sample of a call, after the piece with its bad element.
	long := count(1, 2*memory.FirstRead/4)
	long[memory.FirstRead/4] = math.NaN()
	data := append(npyHeader(1, "<f8", false, 2, memory.FirstRead/4), float64s(long...)...)
	for _, cut := range []int{memory.FirstRead / 2, 8, 1} {
		_, err := loadAside(t, "-", Options{Stdin: bytes.NewReader(data[:len(data)-cut])})
		wantFault(t, "cut off", err, "row 2: the data ends before the end of this sample")
	}
}

// TestArrayCells leaves out text that is missing as a label, and words for missing cells that float64
// cannot hold, and keeps cells as text.
func TestArrayCells(t *testing.T) {
	ids := npyHeader(1, "<i8", false, 2, 2)
	for _, v := range []uint64{1 << 53, 1, math.MaxInt64, 2} {
		ids = binary.LittleEndian.AppendUint64(ids, v)
	}
	labels := write(t, "y.npy", append(npyHeader(1, "|S4", false, 5), "nan\x00\x00\x00\x00\x00a\x00\x00\x00N/A\x00None"...))
	for _, test := range []struct {
		data         []byte
		opt          Options
		labels, kept []string
		dropped      int64
	}{
		{append(npyHeader(1, "<f8", false, 5, 1), float64s(1, 2, 3, 4, 5)...), Options{TargetPath: labels, Classes: true}, []string{"a", "None"}, nil, 3},
		{ids, Options{Inputs: []string{"2"}, Keep: []string{"1"}}, nil, []string{"9007199254740992", "9223372036854775807"}, 0},
		{append(npyHeader(1, "<f8", false, 2, 2), float64s(math.NaN(), 1, math.Copysign(0, -1), 3)...), Options{Inputs: []string{"2"}, Keep: []string{"1"}}, nil, []string{"NaN", "-0"}, 0},
		{ids, Options{NA: []string{"9223372036854775807", "9007199254740993"}}, nil, nil, 1},
		{append(npyHeader(1, "<f4", false, 2, 1), 0, 0, 0x80, 0x7f, 0, 0, 0x80, 0x3f), Options{NA: []string{"inf"}}, nil, nil, 1},
	} {
		test.opt.Missing = MissingDrop
		r := mustOpen(t, []string{write(t, "x.npy", test.data)}, test.opt)
		b, err := r.Next(9)
		if err != nil || !slices.Equal(b.Labels, test.labels) || !slices.Equal(b.Kept, test.kept) || r.Tally().Dropped != test.dropped {
			t.Errorf("%v: %+v, %v, %v", test.opt, b, r.Tally(), err)
		}
	}
}
