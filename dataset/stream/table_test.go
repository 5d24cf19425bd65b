package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// described opens a text, describes its columns and selects them.
func described(t *testing.T, text string, opt Options) (*Reader, Columns) {
	t.Helper()
	opt.Stdin = strings.NewReader(text)
	r := mustOpen(t, []string{"-"}, opt)
	d, err := r.Survey(1000)
	testutil.NoError(t, err)
	s := r.Selection()
	s.Columns = d.Columns
	testutil.NoError(t, r.Select(s))
	return r, d.Columns
}

// tables are texts, with the columns and samples expected of them.
var tables = []struct {
	name, text string
	opt        Options
	columns    Columns
	inputs     []string
	x          []float64
	tally      Tally
}{
	{"words and gaps", "color,size,größe,y\nred,1,ä,a\nblue,,b,b\n,3,b,a\nred,5,?,b\n", Options{Targets: []string{"y"}, Classes: true, Missing: MissingMean},
		Columns{{Levels: []string{"", "blue", "red"}, Fill: []float64{0, 0.3333333, 0.6666667}}, {Fill: []float64{3}}, {Levels: []string{"", "b", "ä"}, Fill: []float64{0, 0.6666667, 0.3333333}}},
		[]string{"color=", "color=blue", "color=red", "size", "größe=", "größe=b", "größe=ä"},
		[]float64{0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 3, 0, 1, 0, 0, 0.3333333, 0.6666667, 3, 0, 1, 0, 0, 0, 1, 5, 0, 0.6666667, 0.3333333},
		Tally{Filled: []int64{1, 1, 1}, Unknown: []int64{0, 0, 0}}},
	{"dropped", "red,1,7\nblue,,7\n,3,7\nred,5,7\nred,5,\ngreen,6,7\n", Options{Targets: []string{"3"}, Missing: MissingDrop},
		Columns{{Levels: []string{"", "blue", "green", "red"}}, {}}, nil,
		[]float64{0, 0, 0, 1, 1, 0, 0, 0, 1, 5, 0, 0, 1, 0, 6}, Tally{Dropped: 3, Filled: []int64{0, 0}, Unknown: []int64{0, 0}}},
	{"no values", "a,b\n1,\n2,NA\n", Options{Missing: MissingMean}, Columns{{Fill: []float64{1.5}}, {Fill: []float64{0}}}, []string{"a", "b"},
		[]float64{1, 0, 2, 0}, Tally{Filled: []int64{0, 2}, Unknown: []int64{0, 0}}},
	{"decimal comma", "a;b\n1.234,5;x\n-0,25;y\n1.000.000;x\n", Options{Decimal: ',', Thousands: '.', Missing: MissingMean},
		Columns{{Fill: []float64{333744.8}}, {Levels: []string{"", "x", "y"}, Fill: []float64{0, 0.6666667, 0.3333333}}}, []string{"a", "b=", "b=x", "b=y"},
		[]float64{1234.5, 0, 1, 0, -0.25, 0, 0, 1, 1000000, 0, 1, 0}, Tally{Filled: []int64{0, 0}, Unknown: []int64{0, 0}}},
	{"thousands in quotes", "a,b\n\"1,234.5\",x\n\"-1,000\",x\n", Options{Thousands: ',', Missing: MissingMean},
		Columns{{Fill: []float64{117.25}}, {Levels: []string{"", "x"}, Fill: []float64{0, 1}}}, []string{"a", "b=", "b=x"},
		[]float64{1234.5, 0, 1, -1000, 0, 1}, Tally{Filled: []int64{0, 0}, Unknown: []int64{0, 0}}},
	{"codes of few levels", "n\n" + strings.Repeat("1\n2\n3+\n", 8), Options{}, Columns{{Levels: []string{"", "1", "2", "3+"}}}, []string{"n=", "n=1", "n=2", "n=3+"},
		slices.Repeat([]float64{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 8), Tally{Filled: []int64{0}, Unknown: []int64{0}}},
	{"signs", "k,n\n+,-nan\n-,2\n+,NaN\n", Options{Missing: MissingMean}, Columns{{Levels: []string{"", "+", "-"}, Fill: []float64{0, 0.6666667, 0.3333333}}, {Fill: []float64{2}}},
		[]string{"k=", "k=+", "k=-", "n"}, []float64{0, 1, 0, 2, 0, 0, 1, 2, 0, 1, 0, 2}, Tally{Filled: []int64{0, 2}, Unknown: []int64{0, 0}}},
	{"inputs in another order", "a,b,c\nx,1,u\ny,2,v\n", Options{Inputs: []string{"b", "a"}}, Columns{{}, {Levels: []string{"", "x", "y"}}},
		[]string{"b", "a=", "a=x", "a=y"}, []float64{1, 0, 1, 0, 2, 0, 0, 1}, Tally{Filled: []int64{0, 0}, Unknown: []int64{0, 0}}},
	{"names that are words", "k,m,n\nk,,1\n,m,2\n", Options{Missing: MissingMean}, Columns{{Levels: []string{"", "k"}, Fill: []float64{0, 1}}, {Levels: []string{"", "m"}, Fill: []float64{0, 1}}, {Fill: []float64{1.5}}},
		[]string{"k=", "k=k", "m=", "m=m", "n"}, []float64{0, 1, 0, 1, 1, 0, 1, 0, 1, 2}, Tally{Filled: []int64{1, 1, 0}, Unknown: []int64{0, 0, 0}}},
	{"an infinite number", "t,u\n1e999,\n5,1\n7,1\n", Options{Missing: MissingMean}, Columns{{Fill: []float64{6}}, {Fill: []float64{1}}}, []string{"t", "u"},
		[]float64{5, 1, 7, 1}, Tally{Filled: []int64{0, 0}, Unknown: []int64{0, 0}}},
	{"words without names", "x,u\ny,v\nx,v\n", Options{}, Columns{{Levels: []string{"", "x", "y"}}, {Levels: []string{"", "v"}}}, nil,
		[]float64{0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1}, Tally{Filled: []int64{0, 0}, Unknown: []int64{0, 1}}},
	{"numbers", "a,b\n1,2\n3,4\n", Options{}, nil, []string{"a", "b"}, []float64{1, 2, 3, 4}, Tally{}},
}

// TestSurveyColumns reads the tables with and without quotation marks.
func TestSurveyColumns(t *testing.T) {
	for _, test := range tables {
		for _, text := range []string{test.text, test.text + "\"\"\n"} {
			test.opt.Bad = func(*Error) error { return nil } // the line in quotation marks
			if len(text) > len(test.text) && test.opt.Targets == nil && !strings.Contains(test.text, ",") {
				continue
			}
			r, columns := described(t, text, test.opt)
			if fmt.Sprint(columns) != fmt.Sprint(test.columns) || !slices.Equal(r.Inputs(), test.inputs) {
				t.Errorf("%s: columns %v, inputs %q", test.name, columns, r.Inputs())
			}
			if names := columns.Names(r.Inputs()); columns != nil && !slices.Equal(columns.InputNames(names), r.Inputs()) {
				t.Errorf("%s: the names are %q", test.name, names)
			}
			testutil.NoError(t, columns.Check())
			b := next(t, r, 100)
			if rows, d := b.X.Dims(); !slices.Equal(b.X.RawMatrix().Data, test.x) || d != r.Dim() || b.Y != nil && b.Y.RawMatrix().Rows != rows || b.Labels != nil && len(b.Labels) != rows {
				t.Errorf("%s: X is %v", test.name, b.X.RawMatrix().Data)
			}
			if tally := r.Tally(); fmt.Sprint(tally) != fmt.Sprint(test.tally) {
				t.Errorf("%s: %+v", test.name, tally)
			}
		}
	}
	var times surveyed // nanoseconds, whose steps are as small as the rounding of a mean
	for i := range 4096 {
		times.number(1764500123456e6 + float64(300*i))
	}
	if off := times.fill() - (1764500123456e6 + 300*2047.5); !(math.Abs(off) <= 300*4.096) {
		t.Errorf("the mean of times is off by %v", off)
	}
}

// TestMixed takes a column of numbers and words for words if it looks like codes, and refuses it if it
// looks like numbers with a wrong one.
func TestMixed(t *testing.T) {
	for cells, words := range map[string]bool{
		"1\n2\n3+\n1\n1\n2\n": true, "1\nx\n": true, "x\n1\n2\n": false, "1.5\n2.5\nx\n3.5\n": false,
		strings.Repeat("1\n2\n", 30) + "x\n": false, strings.Repeat("1\n2\n", 9) + "x\n": true,
	} {
		r := mustOpen(t, []string{"-"}, Options{Header: HeaderAbsent, Stdin: strings.NewReader(cells)})
		d, err := r.Survey(100)
		if err != nil || (len(d.Columns) > 0 && d.Columns[0].Levels != nil) != words {
			t.Errorf("%q: %+v, %v", cells, d, err)
		}
	}
}

// TestUnknownLevels counts words that the description does not have, which are its level "" if it has
// one. It refuses a word among numbers, a column of words without any, and "" after words.
func TestUnknownLevels(t *testing.T) {
	for _, levels := range [][]string{{}, {""}, {"a", ""}} {
		if err := (Columns{{}, {Levels: levels}}).Check(); err == nil || !strings.Contains(err.Error(), "column 2") {
			t.Errorf("%q: %v", levels, err)
		}
	}
	full := Columns{{Levels: []string{""}}}
	for i := range MaxLevels {
		full[0].Levels = append(full[0].Levels, fmt.Sprint("w", i))
	}
	testutil.NoError(t, full.Check())
	if x := full.Append(nil, []float64{-1}, nil); x[0] != 1 || slices.Contains(x[1:], 1) {
		t.Errorf("an unknown word is %v", x)
	}
	columns := Columns{{Levels: []string{"a", "b", "?!"}, Fill: []float64{0.5, 0.5, 0}}, {Fill: []float64{7}}}
	r := mustOpen(t, []string{"-"}, Options{Columns: columns, Missing: MissingMean, NA: []string{"?!"}, Stdin: strings.NewReader("k,n\na,1\nc,\n5,2\n?!,3\nb,x\n")})
	b := next(t, r, 4)
	if want := []float64{1, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 2, 0.5, 0.5, 0, 3}; !slices.Equal(b.X.RawMatrix().Data, want) {
		t.Errorf("X is %v", b.X.RawMatrix().Data)
	}
	if tally := r.Tally(); !slices.Equal(tally.Unknown, []int64{2, 0}) || !slices.Equal(tally.Filled, []int64{1, 1}) {
		t.Errorf("%+v", tally)
	}
	var fault *Error
	if _, err := r.Next(1); !errors.As(err, &fault) || fault.Line != 6 || fault.Name != "n" || !strings.Contains(err.Error(), `"x", not a number`) {
		t.Error(err)
	}
}

// TestWrongTables checks that what cannot become inputs is an error with the column.
func TestWrongTables(t *testing.T) {
	many := "id,v\n"
	for i := range 65 {
		many += fmt.Sprintf("n%d,%d\n", i, i)
	}
	for _, test := range []struct{ text, name, want string }{
		{many, "id", "words and more than 64 different values"},
		{"t,when\n1,2024-01-31\n2,2024-02-01\n", "when", "has dates"},
		{"t,when\n1,31.1.2024 10:00\n2,1.2.2024\n", "when", "has dates"},
		{"t,when\n1,\"Jan 31, 2024\"\n2,1 Feb 2024\n", "when", "has dates"},
		{"t,when\n1,10:15\n2,23:59:59\n", "when", "has dates"},
		{"t,text\n1," + strings.Repeat("x", 300) + "\n", "text", "text of more than"},
		{"t,k\n1,\xff\n", "k", "not UTF-8"},
		{"t,k\n1,\n2,\n", "k", "no value in the first 2 rows"},
	} {
		r := mustOpen(t, []string{"-"}, Options{Stdin: strings.NewReader(test.text), Missing: MissingDrop})
		var fault *Error
		if _, err := r.Survey(1000); !errors.As(err, &fault) || fault.Name != test.name || !strings.Contains(fault.What, test.want) ||
			!slices.Contains(fault.Remedies(), Remedy{OptionExclude, test.name}) && !strings.Contains(fault.What, "UTF-8") {
			t.Errorf("%.40q: error %v, want %q", test.text, err, test.want)
		}
		if r.Dim() != 2 {
			t.Errorf("%.40q: %d inputs after the error", test.text, r.Dim())
		}
	}
}

// TestNumber reads cells as numbers in several notations, and refuses groups of the wrong length.
func TestNumber(t *testing.T) {
	none, missing := math.Inf(1), math.NaN() // for a cell that is not a number, and for a missing one
	for _, test := range []struct {
		decimal, thousands rune
		cell               string
		want               float64
	}{
		{',', '.', " 1.234,5\t", 1234.5}, {',', '.', "NA", missing}, {',', '.', "7", 7}, {',', '.', "1.5", none},
		{',', 0, "1,5", 1.5}, {',', 0, "-2,5e3", -2500}, {',', 0, "1.5", none}, {',', 0, "7", 7}, {',', 0, "1,5,2", none}, {',', '.', "1.234", 1234},
		{',', '.', "1.23", none}, {0, '.', "1.234,5", 1234.5}, {0, ',', "12,34", none}, {0, ',', "1,234.56", 1234.56}, {0, ',', "1234,567", none}, {0, ',', "+12,345", 12345},
		{0, ' ', "1\u202f234\u00a0567", 1234567}, {0, '\'', "1’234'567.5", 1234567.5}, {0, ',', ",123", none}, {0, ',', "1.234,5", none},
	} {
		opt := Options{Decimal: test.decimal, Thousands: test.thousands}
		if v, ok := opt.Number(test.cell); ok != (test.want != none) || ok && v != test.want && !(v != v && test.want != test.want) {
			t.Errorf("%q is %v, %v; want %v", test.cell, v, ok, test.want)
		}
	}
}

// TestIndicate reads numbers and words with indicators of missing cells in the columns with gaps, where
// at least one cell in a hundred is missing, and at least one is not.
func TestIndicate(t *testing.T) {
	in := strings.NewReader("a,b,c,d\n1,u,2,\n3,NA,4,\n,v,6,\n,w,8,\n")
	r, err := Open(t.Context(), []string{"-"}, Options{Missing: MissingMean, Inputs: []string{"1-3"}, Stdin: in})
	testutil.NoError(t, err)
	d, err := r.Survey(3)
	testutil.NoError(t, err)
	if !slices.Equal(d.Gaps, []bool{true, true, false}) || d.Columns.Indicate(make([]bool, 3)) != nil {
		t.Fatalf("gaps %v", d.Gaps)
	}
	s := r.Selection()
	s.Columns, s.Missing = d.Columns.Indicate(d.Gaps), MissingMean
	testutil.NoError(t, s.Columns.Check())
	testutil.NoError(t, r.Select(s))
	if names := []string{"a", "a=NA", "b=", "b=u", "b=v", "b=NA", "c"}; !slices.Equal(r.Inputs(), names) || !slices.Equal(s.Columns.Names(names), []string{"a", "b", "c"}) {
		t.Errorf("inputs %q of columns %q", r.Inputs(), s.Columns.Names(r.Inputs()))
	}
	want := []float64{1, 0, 0, 1, 0, 0, 2, 3, 0, 0, 0.5, 0.5, 1, 4, 2, 1, 0, 0, 1, 0, 6, 2, 1, 1, 0, 0, 0, 8}
	if x := next(t, r, 9).X.RawMatrix().Data; !slices.Equal(x, want) {
		t.Errorf("X is %v", x)
	}
	if tally := r.Tally(); !slices.Equal(tally.Filled, []int64{2, 1, 0}) || !slices.Equal(tally.Unknown, []int64{0, 1, 0}) {
		t.Errorf("%+v", tally)
	}
}

// TestColumnsJSON reads columns back unchanged, and refuses text that no columns are written as.
func TestColumnsJSON(t *testing.T) {
	for _, want := range []Columns{{}, {{}}, {{Levels: []string{"a", "ä"}, Fill: []float64{0.25, 0.75}}, {Fill: []float64{-1e300}}}} {
		text, err := json.Marshal(want)
		testutil.NoError(t, err)
		got := Columns{{Levels: []string{"before"}}}
		if err := json.Unmarshal(text, &got); err != nil || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"{}", "1", `[{"unknown":1}]`, `[1]`, "[" + strings.Repeat("{},", maxDescribed) + "{}]"} {
		var c Columns
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%.40s is read as %d columns", text, len(c))
		}
	}
}

// TestArrayGaps fills in NaN in an array, and leaves out the samples that have it.
func TestArrayGaps(t *testing.T) {
	nan := math.NaN()
	data := append(npyHeader(1, "<f8", false, 4, 3), float64s(1, 2, 3, nan, 4, 5, 6, nan, 7, 2, 6, nan)...)
	for _, test := range []struct {
		opt  Options
		x, y []float64
		bad  int
	}{
		{Options{Missing: MissingMean}, []float64{1, 2, 3, 3, 4, 5, 6, 4, 7, 2, 6, 5}, nil, 0},
		{Options{Missing: MissingMean, Targets: []string{"3"}}, []float64{1, 2, 3, 4, 6, 4}, []float64{3, 5, 7}, 1},
		{Options{Missing: MissingDrop, Targets: []string{"3"}}, []float64{1, 2}, []float64{3}, 0},
		{Options{Targets: []string{"3"}}, []float64{1, 2}, []float64{3}, 3},
		{Options{Inputs: []string{"2"}, Targets: []string{"3"}, NA: []string{"4.0", "x"}}, []float64{2}, []float64{3}, 3},
		{Options{Missing: MissingMean, Targets: []string{"3"}, NA: []string{"6", "7"}}, []float64{1, 2, 1.5, 4}, []float64{3, 5}, 2},
	} {
		bad := 0
		test.opt.Bad = func(*Error) error { bad++; return nil }
		r, _ := described(t, string(data), test.opt)
		b := next(t, r, 9)
		if !slices.Equal(b.X.RawMatrix().Data, test.x) || test.y != nil && !slices.Equal(b.Y.RawMatrix().Data, test.y) {
			t.Errorf("%+v: X %v, Y %v", test.opt, b.X, b.Y)
		}
		if _, err := r.Next(9); err != io.EOF || bad != test.bad {
			t.Errorf("%+v: %d bad samples, %v", test.opt, bad, err)
		}
	}
	labels := append(npyHeader(1, "<f4", false, 4), elementsOf("<f4", []float64{0, nan, 1, 2})...)
	for k, na := range [][]string{nil, {"0"}} {
		r, _ := described(t, string(data), Options{Missing: MissingDrop, TargetPath: write(t, "y.npy", labels), Classes: true, Inputs: []string{"1"}, NA: na})
		if b := next(t, r, 9); !slices.Equal(b.Labels, []string{"0", "1", "2"}[k:]) || r.Tally().Dropped != int64(1+k) {
			t.Errorf("labels %q, %+v", b.Labels, r.Tally())
		}
	}
	labels = append(npyHeader(1, "<f4", false, 4, 1), elementsOf("<f4", []float64{-999, 0.1, 7, 8})...)
	for _, opt := range []Options{{Inputs: []string{"2"}, TargetPath: write(t, "y.npy", labels)}, {Targets: []string{"1"}}} {
		opt.Missing, opt.Classes, opt.NA, opt.Labels = MissingDrop, true, []string{"-999.0", "0.1", "8.0"}, []string{"7", "8"}
		r, _ := described(t, string(append(npyHeader(1, "<f4", false, 4, 2), elementsOf("<f4", []float64{-999, 1, 0.1, 1, 7, 1, 8, 1})...)), opt)
		if b := next(t, r, 9); !slices.Equal(b.Labels, []string{"7", "8"}) {
			t.Errorf("%+v: labels %q", opt, b.Labels)
		}
	}
	r, _ := described(t, string(append(npyHeader(1, "|i1", false, 3, 1), 1, 0xff, 3)), Options{Missing: MissingMean, NA: []string{"-1"}})
	if b := next(t, r, 9); !slices.Equal(b.X.RawMatrix().Data, []float64{1, 2, 3}) {
		t.Errorf("integers: %v", b.X)
	}
	for _, kind := range []string{"<f2", "<f4", "<f8"} { // in each another number is the nearest to 99.9
		text := string(append(npyHeader(1, kind, false, 3, 1), elementsOf(kind, []float64{1, 99.9, 3})...))
		r, _ := described(t, text, Options{Missing: MissingMean, NA: []string{"99.9"}})
		if b := next(t, r, 9); !slices.Equal(b.X.RawMatrix().Data, []float64{1, 2, 3}) {
			t.Errorf("%s: %v", kind, b.X)
		}
	}
	wide := append(npyHeader(1, "<f4", false, 1, maxDescribed+1), elementsOf("<f4", append(make([]float64, maxDescribed), nan))...)
	_, err := mustOpen(t, []string{"-"}, Options{Missing: MissingMean, Stdin: bytes.NewReader(wide)}).Survey(1)
	if fault := wantFault(t, "wide", err, "has 65537 input columns"); !slices.Contains(fault.Remedies(), Remedy{OptionMissing, "drop"}) {
		t.Error(err)
	}
}

// FuzzTable describes any text and reads it with quotation marks around every cell, and without: the
// samples are the same, and each input is finite.
func FuzzTable(f *testing.F) {
	for i, test := range tables {
		f.Add(test.text, byte(i))
	}
	f.Add("a,b\n2024-01-01,1\n", byte(1))
	f.Fuzz(func(t *testing.T, text string, how byte) {
		if strings.Contains(text, "\"") || strings.Contains(text, "\r") || strings.HasPrefix(text, "\x1f\x8b") {
			t.Skip()
		}
		opt := Options{Format: CSV, Comma: ',', Missing: Missing(how % 3), Decimal: []rune{0, ',', '.'}[how/3%3], Bad: func(*Error) error { return nil }}
		if how&64 != 0 {
			opt.Targets, opt.Classes = []string{"1"}, how&128 != 0
		}
		quoted := strings.ReplaceAll("\""+strings.ReplaceAll(text, "\n", "\"\n\"")+"\"", ",", "\",\"")
		var got [2][]float64
		var dims [2]int
		for i, text := range []string{text, quoted} {
			opt.Stdin = strings.NewReader(text)
			r, err := Open(t.Context(), []string{"-"}, opt)
			if err != nil {
				return
			}
			defer r.Close()
			d, err := r.Survey(5)
			if err != nil {
				if err != io.EOF {
					checkFault(t, err)
				}
				return
			}
			s := r.Selection()
			s.Columns = d.Columns
			testutil.NoError(t, s.Columns.Check())
			testutil.NoError(t, r.Select(s))
			all, err := drain(r, 3)
			if err != io.EOF {
				t.Skip() // a quotation mark cannot repeat an empty line
			}
			got[i], dims[i] = all.x, r.Dim()
		}
		if strings.Contains(text, "\n\n") || strings.HasSuffix(text, "\n") || strings.HasPrefix(text, "\n") {
			return
		}
		if dims[0] != dims[1] || !bitsEqual(got[0], got[1]) {
			t.Errorf("%q: %v, and with quotation marks %v", text, got[0], got[1])
		}
		for _, v := range got[0] {
			if v-v != 0 {
				t.Errorf("%q: %v", text, v)
			}
		}
	})
}

// TestHeaderOfGaps reads a first line without a word in a column of words: it is a sample.
func TestHeaderOfGaps(t *testing.T) {
	words := Columns{{Levels: []string{"", "blue", "red"}, Fill: []float64{0, .5, .5}}}
	r := mustOpen(t, []string{"-"}, Options{Stdin: strings.NewReader("NA,7\nred,5\n"), Inputs: []string{"1"}, Targets: []string{"2"}, Columns: words, Missing: MissingMean})
	if r.Heading().HasHeader {
		t.Error("a sample without a word is read as a header")
	}
}

// TestNotNumber finds the words among numbers that are read as words.
func TestNotNumber(t *testing.T) {
	for levels, want := range map[string]string{
		" 1 2 unknown": "unknown", " - 1 2": "-", " 1 2 3+": "3+", " 1 2 3+ ?4": "?4", " 12kg 13kg": "12kg", " (5) 4 6": "(5)",
		" 1,5 2,5 3+": "3+", " 1,5 2,5 9": "1,5", " (0,10] (10,20]": "",
		" a b": "", " 1 a": "", "1 2 a": "a", " 1 2": "", "": "",
	} {
		c := Column{Levels: strings.Split(levels, " ")}
		if got := c.NotNumber(); got != want {
			t.Errorf("%q: %q, want %q", levels, got, want)
		}
	}
	if got := new(Column).NotNumber(); got != "" {
		t.Errorf("%q in a column of numbers", got)
	}
}
