package ui

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestProgressWidth checks that the bar stays within the line, for messages longer than the line and
// the longest clock.
func TestProgressWidth(t *testing.T) {
	for _, columns := range []int{0, 80, 81, 120} {
		most := columns
		if columns == 0 {
			most = barColumns
		}
		var out bytes.Buffer
		p := &Progress{w: &out, bar: newBar(&out), columns: columns}
		for i, doing := range []string{"short", "table 2, 12 min left, seed 10: improved/paper/solve, samples 10001 to 20000", strings.Repeat("ä⁺", 100)} {
			p.Show(float64(i+1)/3, doing)
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

// TestProgressBar looks at what a terminal would receive.
func TestProgressBar(t *testing.T) {
	var out bytes.Buffer
	p := &Progress{w: &out, bar: newBar(&out)}
	p.Show(0, "feature maps")
	p.Show(0.5, "original, samples 1 to 90")
	p.refresh()
	p.Clear()
	p.Show(1, "test accuracy")
	p.Show(1, "finished")
	p.Clear()
	text := out.String()
	for _, want := range []string{"feature maps   0% |", "samples 1 to 90  50% |", "test accuracy 100% |"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if regexp.MustCompile(`1\d[1-9]%|\n`).MatchString(text) {
		t.Errorf("more than 100%%, or more than a line: %q", text)
	}
	if _, rest, _ := strings.Cut(text, "finished"); regexp.MustCompile(`[|%]`).MatchString(text[strings.LastIndexAny(text, "\r"):]) {
		t.Errorf("the bar is left: %q", rest)
	}
}

// TestProgressLines writes to no terminal: the last line of a pause waits for the end of the pause.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	r := Reporter{Progress: NewProgress(&out, false)}
	r.Show(0.1, "a")
	r.Show(0.2, "b")
	if out.Len() > 0 {
		t.Errorf("%q within the first pause", out.String())
	}
	for _, doing := range []string{"", "c"} {
		r.Progress.printed = time.Now().Add(-Pause)
		if doing == "" {
			r.Progress.refresh()
		} else {
			r.Show(-1, doing)
		}
	}
	if want := " 20%  b\nc\n"; out.String() != want {
		t.Errorf("%q; want %q", out.String(), want)
	}
}
