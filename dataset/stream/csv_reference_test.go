package stream

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// lineOfFault returns the line in the error for what encoding/csv refuses: the first of the record if a
// quotation mark is not closed.
func lineOfFault(parse *csv.ParseError) int64 {
	if errors.Is(parse.Err, csv.ErrQuote) {
		return int64(parse.StartLine)
	}
	return int64(parse.Line)
}

// reference reads text with encoding/csv and strconv: its samples, bad ones included, and the line of
// the fault that ends the reading, or 0. The first line may be a header. The column target, if not
// negative, has labels or numbers.
func reference(path, text string, comma rune, header bool, target int, labels bool) (samples []sampleAt, line int64) {
	from := len(text)
	text = strings.TrimPrefix(text, utf8Mark)
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	r.FieldsPerRecord = -1
	width := 0
	for {
		begin := r.InputOffset()
		record, err := r.Read()
		cells := width == 1 && err != io.EOF || width == 0 && err == nil && len(record) == 1 // in blank lines
		for lead := text[begin:]; cells && strings.HasPrefix(strings.TrimPrefix(lead, "\r"), "\n"); lead = lead[strings.Index(lead, "\n")+1:] {
			line := int64(1 + strings.Count(text[:len(text)-len(lead)], "\n"))
			samples = append(samples, sampleAt{fault: Place{Path: path, Line: line}})
		}
		var parse *csv.ParseError
		switch {
		case err == io.EOF:
			return samples, 0
		case errors.As(err, &parse):
			if width == 0 || strings.Count(text[begin:r.InputOffset()], `"`)%2 == 1 {
				return samples, lineOfFault(parse)
			}
			samples = append(samples, sampleAt{fault: Place{Path: path, Line: lineOfFault(parse)}})
			continue
		case width == 0:
			if width = len(record); header {
				continue
			}
		}
		lineOf := func(col int) Place {
			line, _ := r.FieldPos(col)
			return Place{Path: path, Line: int64(line)}
		}
		s := sampleAt{place: lineOf(0), end: int64(from-len(text)) + r.InputOffset()}
		for i, cell := range record {
			cell = strings.Trim(cell, " \t")
			v, err := strconv.ParseFloat(strings.NewReplacer("_", "?", "p", "?", "P", "?").Replace(cell), 64)
			switch label := i == target && labels; {
			case label && !slices.Contains(badCells[:5], cell):
				s.label = cell
			case label || err != nil || v-v != 0:
				s.fault = lineOf(i)
			case i == target:
				s.y = []float64{v}
			default:
				s.x = append(s.x, v)
			}
			if s.bad() {
				break
			}
		}
		if len(record) != width {
			s.fault = lineOf(0)
		}
		samples = append(samples, s)
	}
}

func bitsEqual(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// compareCSV reads text, as it comes from arrive, and compares samples, places, bytes taken and faults
// with the reference: up to the first bad sample, and beyond it with Options.Bad.
func compareCSV(t *testing.T, text string, comma rune, arrive func() io.Reader) {
	t.Helper()
	for _, aside := range []bool{false, true} {
		want, wantLine := reference(stdinName, text, comma, false, -1, false)
		if first := slices.IndexFunc(want, func(s sampleAt) bool { return s.bad() }); first >= 0 && !aside {
			want, wantLine = want[:first], want[first].fault.Line
		}
		var r *Reader
		checkSamples(t, strconv.Quote(text), func(bad func(*Error) error) (_ *Reader, err error) {
			opt := Options{Format: CSV, Header: HeaderAbsent, Comma: comma, Stdin: arrive()}
			if aside {
				opt.Bad = func(e *Error) error {
					checkFault(t, e)
					return bad(e)
				}
			}
			r, err = Open(t.Context(), []string{"-"}, opt)
			return r, err
		}, want, func(err error) bool {
			if err == io.EOF {
				done, total := r.Bytes()
				return wantLine == 0 && done == int64(len(text)) && total == -1
			}
			var fault *Error
			return errors.As(err, &fault) && (fault.Line == wantLine && wantLine > 0 || wantLine == 0 && len(want) == 0 && errors.Is(err, ErrEmpty))
		}, 1)
	}
}

func whole(text string) func() io.Reader {
	return func() io.Reader { return strings.NewReader(text) }
}

func slowly(text string) func() io.Reader {
	return func() io.Reader { return iotest.OneByteReader(strings.NewReader(text)) }
}

// csvTexts are well formed and malformed texts, seeds for the fuzzing.
var csvTexts = []string{
	"1,2\n3,4\n", "1,2\r\n3,4\r\n", "1,2\n3,4", "1,2\r", "\n\n1,2\n\n\r\n3,4\n\n", "1\n2\n3", "\ufeff1,2\n",
	"\"1\",2\n3,\"4\"\n", "\"1\n\",2\n3,4\n", "1,\"\n2\"\n3,4,5\n", "1,\"2\"\"\"\n", "1,\"2\" \n", "1,2\"\n3,4\n5\",6\n", "1,\"2\n3,4\n",
	"1,2,\n", "1,2\n3\n", "1,2\n3,4,5\n", ",\n", "1,\n", "1,NaN\n", "inf,1\n", "1,1e999\n", "1e-999,-0\n", "\r\r\n1\n", "1\r2\n",
	" 1 ,\t2 \n", "+1,-.5\n5.,.\n", "0x1p-2,1_0\n", "9007199254740993,9007199254740992.5\n", "123456789012345678901234567890,1\n",
	"0.1,1.7976931348623157e308\n4.9e-324,0.30000000000000004\n", "1,2\nx,3\n", "1;2\n3;4\n", "\x00,1\n", "1,2\n\"", "\"\"\n", "1\n \n", "\n1\n\r\n\n2\n\n\"3\"\n\nx\n\n\n",
	"1,2\n5\"x\",3\n4,5\n", "1,2\n\"5\"x\"\",3\n4,5\n", "1,2\n\"5\n\"x\"\",3\n4,5\n", "1,2\n5\"x,3\n4,5\n", "1,2\nx,2\n5\"x,3\n4,5\n6,\"7\"\n",
	"1,2\n3,\"4\n5,6\n", "1,2\n3,\"4\n5,6\"\n7,8\n", "1,\"2\"x\"\"\n3,4\n", "1,2\n\n3\nx,4\n\"\",\"5\n6\"\n7,8,9\n1,2", "1,2\n\"3\n\"x\"\",4\n\"5\",6\"\n",
	"00000000000000000000001,1\n", "-,1\n", "--1,1\n", "1.2.3,1\n", "1e5,1E+5\n", "0.00000000000000000001,0\n",
}

func TestCSVAgainstEncodingCSV(t *testing.T) {
	for _, text := range csvTexts { // with commas they are seeds of FuzzCSV
		compareCSV(t, text, ';', whole(text))
		compareCSV(t, text, '§', whole(text))
	}
	rng := rand.New(rand.NewPCG(7, 11))
	parts := []string{"1", "2.5", "-3e2", "0.1", "12345678901234567", ",", ",", ",", "\n", "\n", "\r\n", "\"", "\"\"", "\"4\"", " ", "x", "\r", ".", "-", "e"}
	for range 800 {
		var text strings.Builder
		for range rng.IntN(14) {
			text.WriteString(parts[rng.IntN(len(parts))])
		}
		compareCSV(t, text.String(), ',', whole(text.String()))
		compareCSV(t, text.String(), ',', slowly(text.String()))
	}
}

// FuzzCSV compares any text, whole and byte by byte, with what encoding/csv and strconv make of it: up
// to the first fault, and beyond bad samples with Options.Bad.
func FuzzCSV(f *testing.F) {
	for _, text := range csvTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, start := range []string{"\x1f\x8b", "\xff\xfe", "\xfe\xff", "\ufeff\ufeff"} {
			if strings.HasPrefix(text, start) {
				t.Skip()
			}
		}
		compareCSV(t, text, ',', whole(text))
		compareCSV(t, text, ',', slowly(text))
	})
}

// TestShort compares numbers with strconv, including numbers with more digits than short reads.
func TestShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	for i := range 100000 {
		cell := ""
		for range rng.IntN(18) {
			cell += string("0123456789"[rng.IntN(10)])
		}
		if point := rng.IntN(len(cell) + 3); point <= len(cell) {
			cell = cell[:point] + "." + cell[point:]
		}
		if i%2 == 0 {
			cell = "-" + cell
		}
		want, err := strconv.ParseFloat(cell, 64)
		digits := len(strings.Trim(strings.Replace(cell, ".", "", 1), "-"))
		v, ok := short(cell)
		if ok != (err == nil && digits <= 15) || ok && math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("%q: %v, %v, want %v, %v", cell, v, ok, want, err)
		}
	}
}
