package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestProgressWidth has messages that are longer than the line: with the longest clock there is, the bar stays within it.
func TestProgressWidth(t *testing.T) {
	for _, columns := range []int{0, 80, 81, 120} {
		most := columns
		if columns == 0 {
			most = barColumns
		}
		var out bytes.Buffer
		p := &progress{w: &out, bar: newBar(&out), columns: columns}
		for i, doing := range []string{"short", "table 2, 12 min left, seed 10: improved/paper/solve, samples 10001 to 20000", strings.Repeat("ä⁺", 100)} {
			p.show(float64(i+1)/3, doing)
		}
		longest := 0
		for drawn := range strings.SplitSeq(out.String(), "\r") {
			drawn = regexp.MustCompile("\x1b\\[[0-9]*[A-Z]").ReplaceAllString(drawn, "")
			drawn = regexp.MustCompile(`\[[0-9hms]*\]`).ReplaceAllString(drawn, "[99h59m59s]")
			longest = max(longest, utf8.RuneCountInString(strings.TrimRight(drawn, " ")))
		}
		if longest >= most || longest < most-2 {
			t.Errorf("%d columns: a line of %d", columns, longest)
		}
	}
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abcd", "abcde": "abc…", "äöüäö": "äöü…"} {
		if got := shorten(text, 4); got != want {
			t.Errorf("%q becomes %q; want %q", text, got, want)
		}
	}
}
