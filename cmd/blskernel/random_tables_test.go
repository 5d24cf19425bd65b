package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestRandomTables trains on tables as people have them and predicts the same rows: 8 tables, or 400
// in the long form. A table is learned, or refused with a message that names a column. Of the ordinary
// tables at most 5% are refused.
func TestRandomTables(t *testing.T) {
	testutil.NotUnderRace(t, "the scripts train and predict too")
	tables := 8
	if testutil.Long() {
		tables = 400
	}
	dir := t.TempDir()
	ordinary, refused, learned := 0, 0, 0
	for seed := range tables {
		table := drawTable(uint64(seed))
		reason, err := table.learn(t, dir)
		switch {
		case err != nil:
			t.Errorf("table %d, %v: %v", seed, table, err)
		case reason == "":
			learned++
		case table.ordinary:
			refused++
			t.Logf("table %d, %v: %s", seed, table, reason)
		}
		if table.ordinary {
			ordinary++
		}
	}
	t.Logf("%d tables: %d learned, %d of %d ordinary ones refused", tables, learned, refused, ordinary)
	if 20*refused > ordinary || ordinary < tables/2 {
		t.Errorf("%d of %d ordinary tables are refused; want at most 5%%", refused, ordinary)
	}
}

// learn trains a model on the table and predicts the table. It returns the message of a refusal. A
// panic, a refusal that names no column, and predictions that are missing or not finite are errors.
func (r *randomTable) learn(t *testing.T, dir string) (refusal string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	data, model := writeText(t, dir, "x.csv", r.text), filepath.Join(dir, "m.bls")
	status, _, stderr := inProcess(append(r.flags, "-o", model, data)...)
	switch {
	case status == 0:
	case slices.ContainsFunc(r.names, func(name string) bool {
		return strings.Contains(stderr, "column "+strconv.Quote(name)) || strings.Contains(stderr, "column named "+strconv.Quote(name))
	}):
		return stderr, nil
	default:
		return "", fmt.Errorf("train: status %d: %s", status, stderr)
	}
	predict := []string{"predict", "--json", model, data}
	if slices.Contains(r.flags, "classification") {
		predict = append(predict, "--probabilities")
	}
	status, stdout, stderr := inProcess(predict...)
	if lines := strings.Count(stdout, "\n"); status != 0 || lines != r.rows {
		return "", fmt.Errorf("predict: status %d, %d lines for %d rows: %s", status, lines, r.rows, stderr)
	}
	if strings.Contains(stdout, "NaN") || strings.Contains(stdout, "Inf") {
		return "", fmt.Errorf("predict: %s", stdout)
	}
	for _, args := range [][]string{{"evaluate", model, data}, {"update", "--again", model, data}} {
		if status, _, stderr = inProcess(args...); status != 0 {
			return "", fmt.Errorf("%s: status %d: %s", args[0], status, stderr)
		}
	}
	return "", nil
}

// A randomTable is a table as somebody may have it, with the flags for train.
type randomTable struct {
	rows     int
	kinds    []string // of the columns, the target last
	names    []string
	text     string
	flags    []string
	ordinary bool // without dates and without columns of too many words
}

func (r *randomTable) String() string {
	return fmt.Sprintf("%d rows of %s, %q", r.rows, strings.Join(r.kinds, " "), r.flags)
}

var words = []string{
	"red", "green", "dark blue", "Größe", "日本", "naïve", "a,b", `say "no"`, "é", "😀", "n", "Y", "0x1", "1e", "--", "west-nord-west", "true",
}

// missing are the ways to write a missing value.
var missing = []string{"", "NA", "NaN", "?", "null", " "}

// maxWords is the largest number of words that a column of inputs may have.
const maxWords = 64

// columnKinds draw cell i of a column, with the generator of the table.
var columnKinds = []struct {
	name string
	cell func(r *rand.Rand, i int) string
}{
	{"normal", func(r *rand.Rand, _ int) string { return strconv.FormatFloat(r.NormFloat64(), 'g', 6, 64) }},
	{"normal", func(r *rand.Rand, _ int) string { return strconv.FormatFloat(50+10*r.NormFloat64(), 'f', 2, 64) }},
	{"counts", func(r *rand.Rand, _ int) string { return strconv.Itoa(r.IntN(20)) }},
	{"binary", func(r *rand.Rand, _ int) string { return strconv.Itoa(r.IntN(2)) }},
	{"words", func(r *rand.Rand, _ int) string { return words[r.IntN(3)] }},
	{"words", func(r *rand.Rand, _ int) string { return words[r.IntN(len(words))] }},
	{"booleans", func(r *rand.Rand, _ int) string { return []string{"TRUE", "FALSE"}[r.IntN(2)] }},
	{"amounts", func(r *rand.Rand, _ int) string { return fmt.Sprintf("$%d.50", r.IntN(40)) }},
	{"padded", func(r *rand.Rand, _ int) string { return fmt.Sprintf(" %+.1e ", r.NormFloat64()) }},
	{"times", func(r *rand.Rand, _ int) string { return fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(60)) }},
	{"largest", func(r *rand.Rand, _ int) string { return []string{"1.7e308", "-1.7e308", "1e-308", "0"}[r.IntN(4)] }},
	{"constant", func(*rand.Rand, int) string { return "7" }},
	{"constant word", func(*rand.Rand, int) string { return "always" }},
	{"id", func(_ *rand.Rand, i int) string { return strconv.Itoa(1000 + i) }},
	{"id words", func(_ *rand.Rand, i int) string { return fmt.Sprintf("row-%d", i) }},
	{"huge", func(r *rand.Rand, _ int) string { return strconv.FormatFloat(r.NormFloat64()*1e15, 'g', -1, 64) }},
	{"very huge", func(r *rand.Rand, _ int) string {
		return strconv.FormatFloat(r.NormFloat64()*math.Pow(10, float64(r.IntN(300))), 'g', -1, 64)
	}},
	{"tiny", func(r *rand.Rand, _ int) string { return strconv.FormatFloat(r.NormFloat64()*1e-200, 'g', -1, 64) }},
	{"rarely other", func(r *rand.Rand, i int) string { return strconv.Itoa(i / 40) }},
	{"empty", func(*rand.Rand, int) string { return "" }},
	{"many words", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf("%c%c", 'a'+rune(r.IntN(12)), 'ä'+rune(r.IntN(6)))
	}},
	{"dates", func(r *rand.Rand, _ int) string { return fmt.Sprintf("2024-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)) }},
}

func drawTable(seed uint64) *randomTable {
	r := testutil.Rand(seed)
	t := &randomTable{rows: 1 + r.IntN(160), ordinary: true}
	if r.IntN(10) == 0 {
		t.rows = 1 + r.IntN(4)
	}
	var columns [][]string
	add := func(kind, name string, cells []string) {
		t.kinds, t.names, columns = append(t.kinds, kind), append(t.names, name), append(columns, cells)
	}
	for j := range 1 + r.IntN(8) {
		kind := columnKinds[r.IntN(len(columnKinds))]
		if (kind.name == "dates" || kind.name == "times") && r.IntN(3) > 0 || kind.name == "largest" && r.IntN(12) > 0 {
			kind = columnKinds[0]
		}
		cells, levels := make([]string, t.rows), map[string]bool{}
		for i := range cells {
			cells[i] = kind.cell(r, i)
			if _, err := strconv.ParseFloat(cells[i], 64); err != nil {
				levels[cells[i]] = true
			}
		}
		name := kind.name
		if j > 0 && r.IntN(8) == 0 {
			copied := r.IntN(j)
			name, cells, levels = "copy of "+t.kinds[copied], columns[copied], nil
		}
		t.ordinary = t.ordinary && name != "dates" && name != "times" && len(levels) <= maxWords
		if r.IntN(4) == 0 {
			name += " with gaps"
			cells = withGaps(r, cells)
		}
		add(name, columnName(r, j), cells)
	}
	t.addTarget(r, add)
	switch r.IntN(200) { // tables that are mostly refused
	case 3:
		columns[0][r.IntN(t.rows)] = "1e999"
	case 4:
		columns[0][r.IntN(t.rows)] = "-inf"
	case 0:
		t.names[0] = t.names[len(t.names)-1]
	case 1:
		columns[0][r.IntN(t.rows)] = "?!"
	case 2:
		columns[len(columns)-1][r.IntN(t.rows)] = ""
	}
	t.text = tableText(r, t.names, columns)
	return t
}

func withGaps(r *rand.Rand, cells []string) []string {
	out, share, gap := make([]string, len(cells)), r.IntN(6)+1, missing[r.IntN(len(missing))]
	for i, cell := range cells {
		out[i] = cell
		if r.IntN(10) < share {
			out[i] = gap
		}
	}
	return out
}

// addTarget draws the target column, passes it to add, and sets the flags.
func (t *randomTable) addTarget(r *rand.Rand, add func(kind, name string, cells []string)) {
	cells := make([]string, t.rows)
	labels, first := []int{1, 2, 3, 6}[r.IntN(4)], r.IntN(6)
	kind := []string{"labels", "numbers of classes", "quantity"}[r.IntN(3)]
	for i := range cells {
		switch kind {
		case "labels":
			cells[i] = words[first+r.IntN(labels)]
		case "quantity":
			if first == 0 {
				cells[i] = "12.5"
				break
			}
			cells[i] = strconv.FormatFloat(100+20*r.NormFloat64(), 'f', 3, 64)
		default:
			cells[i] = strconv.Itoa(r.IntN(labels))
		}
	}
	task := "classification"
	if kind == "quantity" {
		task = "regression"
	}
	add(kind, "target", cells)
	t.flags = []string{"train", "--target", "target", "--task", task}
	if r.IntN(2) == 0 {
		t.flags = append(t.flags, "--groups", "2", "--group-nodes", "5", "--enhancement", "20")
	}
}

// columnName draws the name of column j, which differs from all other names.
func columnName(r *rand.Rand, j int) string {
	return []string{"x", "Länge ", "column ", "数", "a,b ", "price ($) ", "T°"}[r.IntN(7)] + strconv.Itoa(j+1)
}

// tableText returns the table as CSV, with a random separator.
func tableText(r *rand.Rand, names []string, columns [][]string) string {
	var b strings.Builder
	separator, end := []string{",", ";", "\t"}[r.IntN(3)], []string{"\n", "\r\n"}[r.IntN(2)]
	line := func(cell func(j int) string) {
		for j := range names {
			text := cell(j)
			if strings.ContainsAny(text, ",;\t\"\n") || text == "" && len(names) == 1 {
				text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			}
			b.WriteString([]string{"", separator}[min(j, 1)] + text)
		}
		b.WriteString(end)
	}
	if r.IntN(10) == 0 {
		b.WriteString("\ufeff")
	}
	line(func(j int) string { return names[j] })
	for i := range columns[0] {
		line(func(j int) string { return columns[j][i] })
	}
	return b.String()
}
