package stream

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// badCells are cells of a column of numbers that make a sample bad: from plainCells on they have
// quotation marks, and the last two have them out of place.
var badCells = []string{"", " ", "NA", "?", "nan", "inf", "-Inf", "1e999", "x", "1.2.3", "\"\"", "\"x\"", "\" NA \"", "\"1,5\"", "\"3\n\n4\"", "7\"x\"8", "\"1\"x\"\""}

const plainCells = 10

// A textForm is the form of a random text of two inputs and a target.
type textForm struct {
	name        string
	bad, quoted float64 // shares of the lines
	lines       int
	header      string
	target      int  // its column, from 0
	classes     bool // it is a label
}

// random returns a text of that form.
func (form *textForm) random(rng *rand.Rand) string {
	var text strings.Builder
	text.WriteString(form.header)
	for line := range form.lines {
		target := "kind " + strconv.Itoa(rng.IntN(9))
		if !form.classes {
			target = strconv.Itoa(rng.IntN(9))
		}
		cells := slices.Insert([]string{strconv.Itoa(rng.IntN(1e6)), strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)}, form.target, target)
		quoted := rng.Float64() < form.quoted
		if quoted {
			cells[rng.IntN(3)] = "\"17\""
			if form.classes {
				cells[form.target] = "\"two\nlines\""
			}
		}
		if rng.Float64() < form.bad {
			cells = form.spoil(rng, cells, quoted, form.header == "" && line == 0)
		}
		text.WriteString(strings.Join(cells, ",") + []string{"\n", "\r\n", "\n\n", "\n\r\n\n"}[max(0, rng.IntN(40)-36)])
	}
	return text.String()
}

// spoil makes a line bad by the number of its cells, or by one of them. The first line of a text
// without a header says how many cells there are, and has quotation marks where they belong.
func (form *textForm) spoil(rng *rand.Rand, cells []string, quoted, first bool) []string {
	kinds := plainCells
	if quoted {
		kinds = len(badCells)
		if first {
			kinds -= 2
		}
	}
	bad := rng.IntN(len(cells))
	switch way := rng.IntN(4); {
	case way == 0 && !first:
		return append(cells, "", "7")[:[]int{1, 2, 4, 5}[rng.IntN(4)]]
	case bad == form.target && form.classes: // any other text is a label
		cells[bad] = badCells[rng.IntN(2)]
	default:
		if cells[bad] = badCells[rng.IntN(kinds)]; strings.Contains(cells[bad], "x\"") && form.classes {
			cells[form.target] = "one line" // at whose end the marks are in pairs
		}
	}
	return cells
}

// check reads a random text from standard input, or in every way.
func (form *textForm) check(t *testing.T, rng *rand.Rand, everyWay bool, sizes ...int) {
	t.Helper()
	const far = "far.csv"
	text := form.random(rng)
	data := []byte(text)
	samples, line := reference("", text, ',', form.header != "", form.target, form.classes)
	if line != 0 || len(samples) != form.lines {
		t.Fatalf("%s: %d samples before line %d of %.100q", form.name, len(samples), line, text)
	}
	ways := map[string]func() (string, io.Reader){"stdin": func() (string, io.Reader) { return stdinPath, bytes.NewReader(data) }}
	if everyWay {
		ways = sources(t, "x.csv", data)
		ways["Options.Open"] = func() (string, io.Reader) { return far, nil }
	}
	for way, source := range ways {
		path, _ := source()
		want := at(path, samples)
		for i := range want {
			if strings.HasSuffix(way, "packed") {
				want[i].end = 0
			}
		}
		checkLeftOut(t, fmt.Sprintf("%s, %s, %.100q", form.name, way, text), func(bad func(*Error) error) (*Reader, error) {
			opt := Options{Targets: []string{strconv.Itoa(form.target + 1)}, Classes: form.classes, Bad: bad}
			if form.header == "" {
				opt.Header = HeaderAbsent
			}
			if path == far {
				opt.Open = (&inMemory{files: map[string][]byte{far: data}}).open
			}
			_, opt.Stdin = source()
			return Open(t.Context(), []string{path}, opt)
		}, want, sizes...)
	}
}

// TestBadTexts reads random texts with bad lines: many short ones, and long ones with few, many, or
// nothing else, in which another record lies across two reads for each source.
func TestBadTexts(t *testing.T) {
	testutil.NotEmulated(t, "many texts")
	rng := rand.New(rand.NewPCG(9, 1))
	short, long := 1000, 6000 // of several reads
	switch {
	case testutil.UnderRace():
		short = 100
	case testutil.Long():
		short, long = 10_000, 60_000
	}
	headers := []string{"", "a,b,c\n", utf8Mark + "\n\na,b,c\n"}
	for i := range short {
		form := textForm{"short", 0.4, float64(i%3) / 2, 1 + rng.IntN(4), headers[rng.IntN(3)], rng.IntN(3), i%2 == 0}
		form.check(t, rng, false, 1, 2)
	}
	for i, form := range []textForm{{name: "plain, few", bad: 1e-3, lines: long}, {name: "plain, many", bad: 0.5, lines: long / 3},
		{name: "quoted, few", bad: 1e-3, quoted: 0.1, lines: long / 3}, {name: "quoted, many", bad: 0.3, quoted: 0.5, lines: long / 4},
		{name: "mixed", bad: 0.01, quoted: 1e-4, lines: long}, {name: "all", bad: 1, quoted: 0.01, lines: long / 4}} {
		form.header, form.target, form.classes = headers[1+i%2], i%3, i%4 < 2
		form.check(t, rng, true, 77, 1<<20)
	}
}

// TestBadCrowded reads lines of too many cells, with quotation marks and without: the text goes on
// after them. A record that is too long ends it.
func TestBadCrowded(t *testing.T) {
	crowd := strings.Repeat(",", maxCells)
	text := "1,2\n" + crowd + "\n3,4\n" + crowd + "\n\"\"" + crowd + "\nx,\n5,\"6\"\n" + crowd
	var lines []int64
	all, err := loadEach(t, "-", Options{Format: CSV, Stdin: strings.NewReader(text), Bad: func(e *Error) error {
		lines = append(lines, e.Line)
		return nil
	}})
	if want := []int64{2, 4, 5, 6, 8}; err != nil || !slices.Equal(all.x, count(1, 6)) || !slices.Equal(lines, want) {
		t.Errorf("%v, bad are %v, want %v; %v", all.x, lines, want, err)
	}
	long := strings.NewReader("1\n" + strings.Repeat("\x00", maxRecord+1))
	all, err = loadBy(t, "-", Options{Format: CSV, Stdin: long, Bad: func(e *Error) error { return nil }}, 1)
	if wantFault(t, "long", err, ":2: the line is longer"); all.rows != 1 || all.x[0] != 1 {
		t.Errorf("%v before %v", all, err)
	}
}
