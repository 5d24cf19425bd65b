package stream

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestNotations recognizes how the numbers of inputs and of targets are written, and reads them
// accordingly; the last column is the target.
func TestNotations(t *testing.T) {
	comma, thousands := Notation{Decimal: ","}, Notation{Thousands: ","}
	percent, dollars := Notation{Unit: "%"}, Notation{Thousands: ",", Unit: "$"}
	for _, test := range []struct {
		name, text string
		want       []Notation
		x, y       []float64
	}{
		{"plain", "a,b\n1,2.5\n-3e2,4\n", []Notation{{}, {}}, []float64{1, -300}, []float64{2.5, 4}},
		{"dollars", "a,b\n\"$4,211.54\",1\n\"-$1,000\",2\n$7,3\n", []Notation{dollars, {}}, []float64{4211.54, -1000, 7}, []float64{1, 2, 3}},
		{"euros behind, percent", "a,b\n1.5 €,43.3%\n2€,0 %\n", []Notation{{Unit: "€"}, percent}, []float64{1.5, 2}, []float64{43.3, 0}},
		{"decimal commas", "a;b\n1234,5;0,25\n-7;1\n", []Notation{comma, comma}, []float64{1234.5, -7}, []float64{0.25, 1}},
		{"both signs", "a;b\n1.234,5;1\n1.234.567;2\n", []Notation{{Decimal: ",", Thousands: "."}, {}}, []float64{1234.5, 1234567}, []float64{1, 2}},
		{"spaces, as French has them", "a;b\n1 234,5;1\n12\u202f345;2\n", []Notation{{Decimal: ",", Thousands: " "}, {}}, []float64{1234.5, 12345}, []float64{1, 2}},
		{"apostrophes", "a,b\n1'234.5,1\n1’000,2\n", []Notation{{Thousands: "'"}, {}}, []float64{1234.5, 1000}, []float64{1, 2}},
		{"thousands alone", "a,b\n\"12,345\",1\n999,2\n", []Notation{thousands, {}}, []float64{12345, 999}, []float64{1, 2}},
		{"another column decides for decimals", "a;b\n1,234;0,5\n7;2\n", []Notation{comma, comma}, []float64{1.234, 7}, []float64{0.5, 2}},
		{"another column decides for thousands", "a;b\n1,234;0.5\n7;2\n", []Notation{thousands, {}}, []float64{1234, 7}, []float64{0.5, 2}},
		{"a leading zero decides", "a;b\n1,234;1\n0,125;2\n", []Notation{comma, {}}, []float64{1.234, 0.125}, []float64{1, 2}},
		{"points beside decimal commas", "a;b\n1.234;0,5\n999;2\n", []Notation{{Decimal: ",", Thousands: "."}, comma}, []float64{1234, 999}, []float64{0.5, 2}},
		{"eighths decide for decimal points", "a;b\n1.234;1.125\n7;2.5\n8;1\n", []Notation{{}, {}}, []float64{1.234, 7, 8}, []float64{1.125, 2.5, 1}},
		{"so do commas between cells", "a,b\n1.234,1\n7,2\n", []Notation{{}, {}}, []float64{1.234, 7}, []float64{1, 2}},
		{"without a header", "1,5;2,5\n3,5;4,5\n", []Notation{comma, comma}, []float64{1.5, 3.5}, []float64{2.5, 4.5}},
		{"missing cells", "a,b\n5%,1\nNA,2\n7%,3\n", []Notation{percent, {}}, []float64{5, 6, 7}, []float64{1, 2, 3}},
	} {
		for _, quoted := range []bool{false, true} {
			text := test.text
			if quoted { // by encoding/csv
				text += "\n\"\"\n"
			}
			r := mustOpen(t, []string{"-"}, Options{Targets: []string{"2"}, Missing: MissingMean, Stdin: strings.NewReader(text),
				Bad: func(*Error) error { return nil }})
			d, err := r.Survey(100)
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				continue
			}
			got := []Notation{{}, {}}
			if d.Columns != nil {
				got[0] = d.Columns[0].Notation
			}
			if d.Targets != nil {
				got[1] = d.Targets[0]
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s: %q, want %q", test.name, got, test.want)
			}
			s := r.Selection()
			s.Columns, s.TargetNotations = d.Columns, d.Targets
			testutil.NoError(t, r.Select(s))
			if b := next(t, r, 9); !slices.Equal(b.X.RawMatrix().Data, test.x) || !slices.Equal(b.Y.RawMatrix().Data, test.y) {
				t.Errorf("%s: X is %v, Y %v", test.name, b.X.RawMatrix().Data, b.Y.RawMatrix().Data)
			}
		}
	}
}

// TestNoNotation takes cells for words if one of them does not fit, and refuses a comma or a point that
// may be either. Decimal and Thousands decide for all columns.
func TestNoNotation(t *testing.T) {
	for _, text := range []string{"$5\n7\n", "$5\n$6\n$7\n$8\n7\n", "5%\n$5\n", "1,5\n1.5\n", "1,23\n1,234.5\n", "1 23\n1 234\n", "$\n$5\n", "--5%\n5%\n", "18_24\n0x720p0\n"} {
		r := mustOpen(t, []string{"-"}, Options{Header: HeaderPresent, Comma: ';', Stdin: strings.NewReader("a;b\n" + strings.ReplaceAll(text, "\n", ";1\n"))})
		if d, err := r.Survey(100); err != nil || d.Columns[0].Levels == nil {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
	for _, sign := range ",." {
		// Neither commas between cells nor decimals elsewhere excuse a column with both.
		mixed, values := "a,b,c\n2.25,1.5,0.25\n\"1,234\",2,\"3,456\"\n", []float64{2.25, 1.5, 1234, 2}
		if sign == '.' {
			mixed = "a;b;c\n2,25;1,5;0,25\n1.234;2;3.456\n"
		}
		for _, inputs := range []string{"1-2", "1-3"} {
			var fault *Error
			_, err := mustOpen(t, []string{"-"}, Options{Inputs: []string{inputs}, Stdin: strings.NewReader(mixed)}).Survey(9)
			if !errors.As(err, &fault) || !slices.Equal(fault.Remedies(), []Remedy{{OptionThousands, string(sign)}}) || strings.Contains(err.Error(), "%!") {
				t.Errorf("%q: %v", mixed, err)
			}
		}
		if b := next(t, mustOpen(t, []string{"-"}, Options{Inputs: []string{"1-2"}, Thousands: sign, Stdin: strings.NewReader(mixed)}), 9); !slices.Equal(b.X.RawMatrix().Data, values) {
			t.Errorf("%q: %v", mixed, b.X.RawMatrix().Data)
		}
		text := strings.ReplaceAll("a;b\n872;1\n1,234;2\n", ",", string(sign))
		for _, opt := range []Options{{}, {Targets: []string{"a"}}} {
			opt.Stdin = strings.NewReader(text)
			var fault *Error
			_, err := mustOpen(t, []string{"-"}, opt).Survey(100)
			if !errors.As(err, &fault) || fault.Name != "a" || fault.Column != 1 || !strings.Contains(fault.What, `as in "1`) ||
				!slices.Equal(fault.Remedies(), []Remedy{{OptionDecimal, string(sign)}, {OptionThousands, string(sign)}}) {
				t.Errorf("%v", err)
			}
		}
		for _, opt := range []Options{{Decimal: sign}, {Thousands: sign}, {Targets: []string{"a"}, Classes: true}} {
			opt.Stdin = strings.NewReader(text)
			if d, err := mustOpen(t, []string{"-"}, opt).Survey(100); err != nil || d.Columns != nil || d.Targets != nil {
				t.Errorf("%q, %q: %v, %v", opt.Decimal, opt.Thousands, d, err)
			}
		}
	}
	// They take precedence over a Notation, but its unit stays.
	opt := Options{Columns: Columns{{Notation: Notation{Decimal: ",", Unit: "%"}}}, Thousands: ',', Header: HeaderAbsent, Comma: ';'}
	opt.Stdin = strings.NewReader("1,234%\n5,678\n")
	r := mustOpen(t, []string{"-"}, opt)
	if b := next(t, r, 1); b.X.At(0, 0) != 1234 {
		t.Errorf("%v", b.X)
	}
	if _, err := r.Next(1); err == nil || !strings.Contains(err.Error(), `:2: column 1 is "5,678", without the unit % of its column`) {
		t.Error(err)
	}
}

// TestJoinedFaults names all columns that cannot be inputs in one message, with the remedy as a value.
func TestJoinedFaults(t *testing.T) {
	text := "when;id;a b;share;m\n"
	for i := range 70 {
		text += fmt.Sprintf("2024-01-%02d;c%d;%%d%d;%d%%;%d,234\n", 1+i%28, i, i, i, 1+i%9)
	}
	path := write(t, "x.csv", []byte(text))
	r := mustOpen(t, []string{path}, Options{})
	d, err := r.Survey(100)
	var fault *Error
	if !errors.As(err, &fault) || fault.Column != 0 {
		t.Fatal(err)
	}
	want := []string{`column "when" has dates, such as "2024-01-01"; column "id" has words and more than 64 different values, such as "c0"; `,
		`column "a b" has words and more than 64 different values, such as "%d0"; column "m" has commas that may be decimal or thousands separators`,
		`leave columns out with Options.Exclude = when,id,3, or turn them into numbers; declare the separators with Options.Decimal = , or Options.Thousands = ,`}
	for _, part := range want {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %s", err, part)
		}
	}
	if !slices.Contains(fault.Remedies(), Remedy{OptionExclude, "when,id,3"}) || fault.Path != path || d.Columns[3].Notation.Unit != "%" {
		t.Errorf("%+v, %v", fault, d)
	}
	many := "c" + strings.Repeat(",c", 39) + "\n"
	for i := range 70 {
		many += strings.TrimSuffix(strings.Repeat(fmt.Sprintf("w%d,", i), 40), ",") + "\n"
	}
	_, err = mustOpen(t, []string{"-"}, Options{Header: HeaderPresent, Stdin: strings.NewReader(many)}).Survey(100)
	if err == nil || !strings.Contains(err.Error(), "24 more columns have such faults") || len(err.Error()) > 4<<10 {
		t.Error(err)
	}
}

// TestRowNumbers finds columns of whole numbers in order, of different words, and a first one without
// a name.
func TestRowNumbers(t *testing.T) {
	for _, test := range []struct {
		text string
		want []int
	}{
		{"id,a,b\n5,1,9\n7,2,8\n8,3,7\n", []int{0, 1, 2}}, {"id,a\n5,1\n5,2\n", []int{1}}, {"id,a\n5,1\n5,2\n6,3\n", []int{1}}, {"id,a\n5,1.5\n7,2.5\n", []int{0}},
		{"id,a\n5,1\n7,1\n6,1\n", nil}, {"id,a\n5,1\n,1\n7,1\n", nil}, {"id,a\n5,1\n", nil}, {"id,a\nx,1\ny,1\n", []int{0}}, {"id,a\nx,1\nx,1\n", nil},
		{",a\n3,1\n1,1\n2,1\n", []int{0}}, {",a\nx,1\ny,1\nz,1\n", []int{0}}, {",a\nx,1\nx,1\n", nil}, {",a\n0.5,1\n0.25,1\n", nil},
		{"a,\n1,x\n1,y\n", []int{1}}, {"a,b\n5,1\n7,1\nx,1\n6,1\n", nil},
	} {
		d, err := mustOpen(t, []string{"-"}, Options{Stdin: strings.NewReader(test.text)}).Survey(100)
		if err != nil || !slices.Equal(d.RowNumbers, test.want) || d.Rows != strings.Count(test.text, "\n")-1 {
			t.Errorf("%q: %+v, %v; want %v", test.text, d, err, test.want)
		}
	}
}

// TestNA takes more words for missing cells: of numbers, words, targets and labels.
func TestNA(t *testing.T) {
	const text = "n,k,y\n1,a,p\n-999,unknown,q\n3,a,-999\nNA,UNKNOWN,p\n"
	for _, more := range []string{"", "\"\"\n"} {
		opt := Options{Targets: []string{"y"}, Classes: true, Missing: MissingMean, NA: []string{"-999", "unknown"},
			Stdin: strings.NewReader(text + more), Bad: func(*Error) error { return nil }}
		r, columns := described(t, text+more, opt)
		if want := (Columns{{Fill: []float64{2}}, {Levels: []string{"", "UNKNOWN", "a"}, Fill: []float64{0, 0.3333333, 0.6666667}}}); !reflect.DeepEqual(columns, want) {
			t.Errorf("%v, want %v", columns, want)
		}
		b := next(t, r, 9)
		if want := []float64{1, 0, 0, 1, 2, 0, 0.3333333, 0.6666667, 2, 0, 1, 0}; !slices.Equal(b.X.RawMatrix().Data, want) || !slices.Equal(b.Labels, []string{"p", "q", "p"}) {
			t.Errorf("%v, %q", b.X.RawMatrix().Data, b.Labels)
		}
	}
	opt := Options{Targets: []string{"1"}, NA: []string{"-999"}, Missing: MissingDrop}
	opt.Stdin = strings.NewReader("-999,1\n2,-999\n3,4\n")
	if b := next(t, mustOpen(t, []string{"-"}, opt), 9); !slices.Equal(b.Y.RawMatrix().Data, []float64{3}) {
		t.Errorf("%v", b.Y)
	}
	if v, ok := opt.Number("-999"); !ok || v == v {
		t.Errorf("-999 is %v, %v", v, ok)
	}
}

// TestTargetsOfTheirOwn recognizes the words of inputs, and how the numbers of a file of targets are
// written, chosen by name, by number, or all.
func TestTargetsOfTheirOwn(t *testing.T) {
	array := string(append(npyHeader(1, "<f8", false, 3, 1), float64s(1, 2, 3)...))
	words := Columns{{Levels: []string{"", "x", "y"}}, {}}
	y := write(t, "y.csv", []byte("p;q\n1,5;$1\n2,5;$2\n3;$3\n"))
	for _, test := range []struct {
		x       string
		targets []string
		want    Description
		y       []float64
	}{
		{array, nil, Description{Targets: []Notation{{Decimal: ","}, {Unit: "$"}}}, []float64{1.5, 1, 2.5, 2, 3, 3}},
		{"a,b\nx,1\ny,2\nx,4\n", []string{"q"}, Description{Columns: words, Targets: []Notation{{Unit: "$"}}}, []float64{1, 2, 3}},
		{"a,b\nx,1\ny,2\nx,4\n", []string{"1"}, Description{Columns: words, Targets: []Notation{{Decimal: ","}}}, []float64{1.5, 2.5, 3}},
	} {
		r := mustOpen(t, []string{"-"}, Options{TargetPath: y, Targets: test.targets, Stdin: strings.NewReader(test.x)})
		d, err := r.Survey(100)
		if err != nil || !reflect.DeepEqual(d.Columns, test.want.Columns) || !slices.Equal(d.Targets, test.want.Targets) {
			t.Fatalf("%q: %+v, %v", test.targets, d, err)
		}
		s := r.Selection()
		s.Columns, s.TargetNotations = d.Columns, d.Targets
		testutil.NoError(t, r.Select(s))
		if b := next(t, r, 9); !slices.Equal(b.Y.RawMatrix().Data, test.y) {
			t.Errorf("%q: %v", test.targets, b.Y)
		}
	}
	if r, _ := described(t, "a,b\nx,1\ny,2\n", Options{TargetPath: write(t, "y.csv", []byte("0\n1\n")), Classes: true}); !slices.Equal(next(t, r, 9).Labels, []string{"0", "1"}) {
		t.Error("the first label is lost")
	}
	for i, text := range []string{"872,1\n1.471,2\n", "872;1\n1,234;2\n"} { // only the second is ambiguous
		y := write(t, "y.csv", []byte(text))
		if _, err := mustOpen(t, []string{"-"}, Options{TargetPath: y, Stdin: strings.NewReader(array)}).Survey(9); i == 1 {
			wantFault(t, text, err, y+": column 1 has commas")
		} else if err != nil {
			t.Error(err)
		}
	}
}

// TestNotationCheck refuses invalid notations, and describes valid ones in words.
func TestNotationCheck(t *testing.T) {
	for n, says := range map[Notation]string{
		{}: "", {Unit: "%"}: "in percent", {Unit: "€", Decimal: ",", Thousands: "."}: "in €, with a decimal comma, with a point between thousands",
		{Thousands: "\u00a0"}: "with \u00a0 between thousands", {Thousands: "'"}: "with an apostrophe between thousands",
	} {
		if err := n.Check(); err != nil || n.String() != says {
			t.Errorf("%+v: %v, %q", n, err, n)
		}
	}
	for _, n := range []Notation{{Decimal: "."}, {Decimal: ",,"}, {Thousands: "x"}, {Thousands: "."}, {Decimal: ",", Thousands: ","}, {Thousands: ",,"}, {Unit: "x"}, {Unit: "$$"}, {Unit: "\xff"}} {
		if n.Check() == nil || (Columns{{Notation: n}}).Check() == nil || (&Options{TargetNotations: []Notation{n}}).checkColumns() == nil {
			t.Errorf("%+v is accepted", n)
		}
	}
	if (Columns{{Levels: []string{"a"}, Notation: Notation{Unit: "%"}}}).Check() == nil {
		t.Error("words with a unit are accepted")
	}
}
