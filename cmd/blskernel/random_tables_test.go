package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestRandomTables trains on tables as people have them and predicts the same rows: 40 tables, and
// 5000 in the long form. A table is learned, or refused with a message that names a column. At most
// 5% are refused of those without dates and without columns of too many words.
func TestRandomTables(t *testing.T) {
	testutil.NotUnderRace(t, "the scripts train and predict too")
	tables := 40
	if testutil.Long() {
		tables = 5000
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

// learn trains a model on the table and lets it predict the table. It returns the message of a refusal,
// and an error for a panic, for a refusal without the name of a column, and for predictions that are
// not there or are no numbers.
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
	if status, _, stderr = inProcess("evaluate", model, data); status != 0 {
		return "", fmt.Errorf("evaluate: status %d: %s", status, stderr)
	}
	if status, _, stderr = inProcess("update", "--again", model, data); status != 0 {
		return "", fmt.Errorf("update: status %d: %s", status, stderr)
	}
	return "", nil
}
