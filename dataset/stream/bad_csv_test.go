package stream

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// badCells are cells of a column of numbers that make a sample bad, the last ones by their quotation
// marks.
var badCells = []string{"", " ", "NA", "?", "nan", "inf", "-Inf", "1e999", "x", "1.2.3", "\"\"", "\"x\"", "\" NA \"", "\"1,5\"", "\"3\n\n4\"", "7\"x\"8", "\"1\"x\"\""}

// A badText is a text of inputs and a label in the last column, with what is expected of it.
type badText struct {
	text strings.Builder
	line int64
	want []sampleAt
}

func newBadText(header string) *badText {
	b := &badText{line: 1 + int64(strings.Count(header, "\n"))}
	b.text.WriteString(header)
	return b
}

// add adds a line with these cells, of which the one at index bad is bad, -1 for none of them,
// len(cells) for their number.
func (b *badText) add(cells []string, bad int, ending string) {
	s := sampleAt{place: Place{Line: b.line}}
	if bad == len(cells) {
		s.fault.Line = b.line
	}
	for i, cell := range cells {
		if i == bad {
			s.fault.Line = b.line
		}
		if bad < 0 && i+1 < len(cells) {
			v, err := strconv.ParseFloat(strings.Trim(cell, "\" \t"), 64)
			if err != nil {
				panic(err)
			}
			s.x = append(s.x, v)
		}
		b.line += int64(strings.Count(cell, "\n"))
	}
	if bad < 0 {
		s.label = strings.Trim(cells[len(cells)-1], "\" \t")
	}
	b.text.WriteString(strings.Join(cells, ",") + ending)
	b.line += int64(strings.Count(ending, "\n"))
	b.want = append(b.want, s)
}

// check reads the text from standard input.
func (b *badText) check(t *testing.T, name string, opt Options, sizes ...int) {
	t.Helper()
	checkLeftOut(t, name, func(bad func(*Error) error) (*Reader, error) {
		opt.Bad, opt.Stdin = bad, strings.NewReader(b.text.String())
		return Open(t.Context(), []string{stdinPath}, opt)
	}, at(stdinPath, b.want), sizes...)
}

// checkAll reads the text by every other way.
func (b *badText) checkAll(t *testing.T, name string, opt Options, sizes ...int) {
	t.Helper()
	data := []byte(b.text.String())
	for way, source := range sources(t, "x.csv", data) {
		opt := opt
		path, _ := source()
		checkLeftOut(t, name+", "+way, func(bad func(*Error) error) (*Reader, error) {
			_, opt.Stdin = source()
			opt.Bad = bad
			return Open(t.Context(), []string{path}, opt)
		}, at(path, b.want), sizes...)
	}
	const far = "far.csv"
	checkLeftOut(t, name+", elsewhere", func(bad func(*Error) error) (*Reader, error) {
		opt.Bad, opt.Open = bad, (&memory{files: map[string][]byte{far: data}}).open
		return Open(t.Context(), []string{far}, opt)
	}, at(far, b.want), sizes...)
}

// TestBadCells places each bad cell into every line and column, and lines of other numbers of cells
// into every line, among lines with quotation marks and without, after a header and where the first
// line is a sample.
func TestBadCells(t *testing.T) {
	const rows, cols = 4, 3
	widths := []int{1, 2, 4, 5}
	for how := range 8 {
		ending, good, header := []string{"\n", "\r\n"}[how&1], []string{"2", "\"2\""}[how>>1&1], []string{"", "a,b,kind\n"}[how>>2]
		opt := Options{Header: HeaderAbsent, Targets: []string{"3"}, Classes: true}
		if header != "" {
			opt.Header = HeaderAuto
		}
		for kind := range len(badCells) + len(widths) {
			for row := range rows {
				for col := range cols {
					b := newBadText(header)
					for i := range rows {
						cells, bad := []string{strconv.Itoa(i), good, "u"}, -1
						switch {
						case i != row:
						case kind >= len(badCells):
							cells = append(cells, "", "7")[:widths[kind-len(badCells)]]
							bad = len(cells)
						default:
							bad, cells[col] = col, badCells[kind]
						}
						quotation := kind == len(badCells)-1 || kind == len(badCells)-2
						switch {
						case bad == 2 && len(cells) == cols && !quotation && strings.Trim(cells[2], " \"") != "":
							bad = -1 // which is a label as any other
						case bad >= 0 && i == 0 && header == "" && (len(cells) != cols || quotation):
							bad, cells = -1, []string{"0", good, "u"} // since the first line says what the columns are
						}
						b.add(cells, bad, ending)
					}
					b.check(t, fmt.Sprintf("%d in line %d, column %d, way %d", kind, row, col, how), opt, 1, 2)
				}
			}
		}
	}
}

// TestBadBehindTarget puts the target before the bad cells, in lines that are parsed in place and in
// others.
func TestBadBehindTarget(t *testing.T) {
	for _, text := range []string{"1,2\n3,x\n5,6\n7,\n9,10\n", "1,\"2\"\n3,\"x\"\n5,6\n7,\n9,10\n"} {
		for _, classes := range []bool{true, false} {
			line := func(n int64) Place { return Place{Path: stdinName, Line: n} }
			want := []sampleAt{{x: count(2, 1), y: count(1, 1), place: line(1)}, {fault: line(2)}, {x: count(6, 1), y: count(5, 1), place: line(3)}, {fault: line(4)},
				{x: count(10, 1), y: count(9, 1), place: line(5)}}
			for i := range want {
				if classes && !want[i].bad() {
					want[i].label, want[i].y = strconv.Itoa(int(want[i].y[0])), nil
				}
			}
			checkLeftOut(t, text, func(bad func(*Error) error) (*Reader, error) {
				return Open(t.Context(), []string{"-"}, Options{Stdin: strings.NewReader(text), Header: HeaderAbsent, Targets: []string{"1"}, Classes: classes, Bad: bad})
			}, want, 1, 2, 3, 9)
		}
	}
}

// TestBadLongText compares long texts with random bad lines: few, many, or nothing else. A sample is in
// another piece for each source.
func TestBadLongText(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, form := range []struct {
		name        string
		bad, quoted float64 // shares of the lines
		lines       int
	}{{"plain, few", 1e-3, 0, 60_000}, {"plain, many", 0.5, 0, 20_000}, {"quoted, few", 1e-3, 0.1, 20_000}, {"quoted, many", 0.3, 0.5, 8_000}, {"mixed", 0.01, 2e-5, 60_000}, {"all", 1, 0.01, 8_000}} {
		if testing.Short() {
			form.lines /= 3 // still of several pieces
		}
		b := newBadText("a,b,kind\n")
		for range form.lines {
			cells := []string{strconv.Itoa(rng.IntN(1e6)), strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64), "kind " + strconv.Itoa(rng.IntN(9))}
			quoted := rng.Float64() < form.quoted
			if quoted {
				cells[rng.IntN(2)] = "\"17\""
				cells[2] = "\"two\nlines\""
			}
			bad := -1
			if rng.Float64() < form.bad {
				switch kinds := len(badCells); rng.IntN(4) {
				case 0:
					cells = append(cells, "5")[:2+2*rng.IntN(2)]
					bad = len(cells)
				case 1:
					bad, cells[2] = 2, ""
				default:
					if !quoted {
						kinds = slices.Index(badCells, "\"\"")
					}
					bad = rng.IntN(2)
					if cells[bad] = badCells[rng.IntN(kinds)]; strings.Contains(cells[bad], "x\"") {
						cells[2] = "one line" // at whose end the marks are in pairs
					}
				}
			}
			b.add(cells, bad, []string{"\n", "\r\n", "\n\n", "\n\r\n\n"}[max(0, rng.IntN(40)-36)])
		}
		b.checkAll(t, form.name, Options{Targets: []string{"kind"}, Classes: true}, 77, 1<<20)
	}
}

// TestBadPieceBorders moves a bad line across the end of the first piece, byte by byte, in texts with
// and without quotation marks.
func TestBadPieceBorders(t *testing.T) {
	for _, bad := range []string{"x,2,u\n", "1,2\n", "\"x\n\",2,u\n"} {
		for shift := range 12 {
			text := strings.Repeat("1,2,u\n", firstChunk/6-3) + "1," + strings.Repeat(" ", shift) + "2,u\n" + bad + strings.Repeat("3,4,v\n", 3_000)
			text = strings.NewReplacer("u", "5", "v", "6").Replace(text)
			compareCSV(t, text, ',', whole(text))
		}
	}
}

// TestBadQuotationMarks puts quotation marks out of place: in pairs they are a fault of the record,
// else of the text.
func TestBadQuotationMarks(t *testing.T) {
	for _, test := range []struct {
		text string
		rows int
		bad  []int64
		line int64 // of the fault that ends the reading
		says string
	}{
		{"1,2\n5\"x\",3\n4,5\n", 2, []int64{2}, 0, ""},
		{"1,2\n\"5\"x\"\",3\n4,5\n", 2, []int64{2}, 0, ""},
		{"1,2\n\"5\n\"x\"\",3\n4,5\n", 2, []int64{2}, 0, ""},
		{"1,2\n5\"x,3\n4,5\n", 1, nil, 2, "within a cell"},
		{"1,2\nx,2\n5\"x,3\n4,5\n6,\"7\"\n", 1, []int64{2}, 3, "within a cell"},
		{"1,2\n3,\"4\n5,6\n", 1, nil, 2, "not closed"},
		{"1,2\n3,\"4\n5,6\"\n7,8\n", 2, []int64{2}, 0, ""},
		{"1,\"2\"x\"\"\n3,4\n", 0, nil, 1, "more of its cell follows it"},
	} {
		var told []int64
		rows, err := countRows(t, "-", Options{Stdin: strings.NewReader(test.text), Header: HeaderAbsent, Bad: func(e *Error) error {
			told = append(told, e.Line)
			return nil
		}})
		if rows != test.rows || !slices.Equal(told, test.bad) {
			t.Errorf("%q: %d samples, bad are %v; want %d and %v", test.text, rows, told, test.rows, test.bad)
		}
		if test.line == 0 {
			testutil.NoError(t, err)
		} else if fault := wantFault(t, test.text, err, test.says); fault.Line != test.line {
			t.Errorf("%q: line %d, want %d", test.text, fault.Line, test.line)
		}
	}
}

// TestBadCrowded reads lines of too many cells. A text without quotation marks goes on after them. They
// end a text with quotation marks, as a record that is too long does.
func TestBadCrowded(t *testing.T) {
	crowd := strings.Repeat(",", maxCells)
	text := "1,2\n" + crowd + "\n3,4\n" + crowd + "\n" + crowd + "\nx,\n5,6\n" + crowd
	var lines []int64
	all, err := loadEach(t, "-", Options{Format: CSV, Stdin: strings.NewReader(text), Bad: func(e *Error) error {
		lines = append(lines, e.Line)
		return nil
	}})
	if want := []int64{2, 4, 5, 6, 8}; err != nil || !slices.Equal(all.x, count(1, 6)) || !slices.Equal(lines, want) {
		t.Errorf("%v, bad are %v, want %v; %v", all.x, lines, want, err)
	}
	for name, text := range map[string]string{
		":3: the line has more than": "1,\"2\"\nx,\n" + crowd + "\n3,\"4\"\n",
		":2: the line is longer":     "1\n" + strings.Repeat("\x00", maxRecord+1),
	} {
		r := mustOpen(t, []string{"-"}, Options{Format: CSV, Stdin: strings.NewReader(text), Bad: func(e *Error) error { return nil }})
		if b, err := r.Next(1); err != nil || b.X.At(0, 0) != 1 {
			t.Errorf("%v, %v", b, err)
		}
		_, err = r.Next(1)
		wantFault(t, name, err, name)
	}
}
