package stream

import (
	"strings"
	"testing"
)

// FuzzCSV compares any text, whole and byte by byte, with what encoding/csv and strconv make of it:
// up to the first fault, and after bad samples where Options.Bad leaves them out.
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

// FuzzColumns looks for columns by any names among any names: there is an *Error of bounded length, or
// columns that are there, each once.
func FuzzColumns(f *testing.F) {
	f.Add("a\nb\nc", "a:b", "c")
	f.Add("a\na\nb:c", "b:c", "3-")
	f.Add("1\n2", "2-1", "-")
	f.Add(strings.Repeat("column\n", 20), "Colum", "0")
	f.Add(strings.Repeat("é", 100)+strings.Repeat("\nx", 9), strings.Repeat("é", 99), ":")
	f.Add("", "9223372036854775808", "1-9223372036854775807")
	f.Fuzz(func(t *testing.T, header, inputs, targets string) {
		names := strings.Split(header, "\n")
		for _, known := range [][]string{names, nil} {
			q := request{inputs: []string{inputs}, targets: []string{targets}}
			c, err := q.choose(known, len(names))
			if err != nil {
				if _, ok := err.(*Error); !ok || len(err.Error()) > 4000+4*len(inputs)+4*len(targets) {
					t.Errorf("error %.300v", err)
				}
				continue
			}
			seen := map[int]bool{}
			for _, col := range append(c.inputs, c.targets...) {
				if col < 0 || col >= len(names) || seen[col] {
					t.Fatalf("%q of %q: columns %v and %v", []string{inputs, targets}, names, c.inputs, c.targets)
				}
				seen[col] = true
			}
		}
	})
}
