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

// randomText returns lines of two numbers and a target. A share of them, but not the first, has a bad
// cell, or more or fewer cells; a share has quotation marks.
func randomText(rng *rand.Rand, lines int, bad, quoted float64, target int, classes bool) string {
	var text strings.Builder
	for line := range lines {
		cells := []string{strconv.Itoa(rng.IntN(1e6)), strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64), strconv.Itoa(rng.IntN(9))}
		spoiled, kinds := line > 0 && rng.Float64() < bad, badCells[:plainCells]
		if classes {
			cells[target] = "kind " + cells[target]
		}
		if rng.Float64() < quoted {
			kinds, cells[rng.IntN(3)] = badCells, "\"17\""
			if classes && !spoiled { // at the end of a line within a label the quotation marks are not in pairs
				cells[target] = "\"two\nlines\""
			}
		}
		switch at := rng.IntN(4); {
		case !spoiled:
		case at == 3:
			cells = append(cells, "", "7")[:[]int{1, 2, 4, 5}[rng.IntN(4)]]
		case at == target && classes: // the missing cells are no labels
			cells[at] = badCells[rng.IntN(5)]
		default:
			cells[at] = kinds[rng.IntN(len(kinds))]
		}
		text.WriteString(strings.Join(cells, ",") + []string{"\n", "\r\n", "\n\n", "\n\r\n\n"}[max(0, rng.IntN(40)-36)])
	}
	return text.String()
}

// checkText reads a text without a fault from standard input, or in every way.
func checkText(t *testing.T, text string, header bool, target int, classes, everyWay bool, sizes ...int) {
	t.Helper()
	const far = "far.csv"
	data := []byte(text)
	samples, line := reference("", text, ',', header, target, classes)
	if line != 0 {
		t.Fatalf("%d samples before line %d of %.100q", len(samples), line, text)
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
		checkLeftOut(t, fmt.Sprintf("%s, %.100q", way, text), func(bad func(*Error) error) (*Reader, error) {
			opt := Options{Targets: []string{strconv.Itoa(target + 1)}, Classes: classes, Bad: bad}
			if !header {
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
		header, target := headers[rng.IntN(3)], rng.IntN(3)
		text := header + randomText(rng, 1+rng.IntN(4), 0.4, float64(i%3)/2, target, i%2 == 0)
		checkText(t, text, header != "", target, i%2 == 0, false, 1, 2)
	}
	for i, form := range []struct {
		lines       int
		bad, quoted float64
	}{{long, 1e-3, 0}, {long / 3, 0.5, 0}, {long / 3, 1e-3, 0.1}, {long / 4, 0.3, 0.5}, {long, 0.01, 1e-4}, {long / 4, 1, 0.01}} {
		text := headers[1+i%2] + randomText(rng, form.lines, form.bad, form.quoted, i%3, i%4 < 2)
		checkText(t, text, true, i%3, i%4 < 2, true, 77, 1<<20)
	}
}

// TestBadCrowded reads lines of too many cells, with and without quotation marks: reading goes on after
// them. A record that is too long ends it.
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
	all, err = loadEach(t, "-", Options{Format: CSV, Stdin: long, Bad: func(e *Error) error { return nil }}, 1)
	if wantFault(t, "long", err, ":2: the line is longer"); all.rows != 1 || all.x[0] != 1 {
		t.Errorf("%v before %v", all, err)
	}
}
