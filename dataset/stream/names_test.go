package stream

import (
	"fmt"
	"strings"
	"testing"
)

// TestNearestNames looks for names that are not there among few and among many.
func TestNearestNames(t *testing.T) {
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, "gene%05d,", i)
	}
	header := many.String() + "Price,prize,pr" + strings.Repeat("y", 1<<10) + "\n"
	path := write(t, "x.csv", []byte(header+strings.Repeat("1,", 50_002)+"1\n"))
	for _, test := range []struct{ name, says string }{
		{"price", `has no column named "price"; the nearest of its 50003 names are "Price", "prize"`},
		{"gene0001", `the nearest of its 50003 names are "gene00001", "gene00010", "gene00011", "gene00012", "gene00013"`},
		{"gene00001x", `the nearest of its 50003 names are "gene00001", `},
		{"weight", `it has "gene00000", "gene00001", "gene00002", "gene00003", "gene00004", "gene00005", "gene00006", "gene00007", and 49995 more`},
		{strings.Repeat("z", 1<<12), "and 49995 more"},
	} {
		_, err := Open(t.Context(), []string{path}, Options{Targets: []string{test.name}})
		wantFault(t, test.name, err, test.says)
		if err != nil && len(err.Error()) > 600+len(path) {
			t.Errorf("%.20s: a message of %d bytes", test.name, len(err.Error()))
		}
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"Abc", "aBC", 0}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"abcdef", "uvwxyz", 6}, {"ab", "ba", 2}} {
		for most := range 8 {
			for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
				if got := distance(pair[0], pair[1], most); got != test.want && !(test.want > most && got > most) {
					t.Errorf("from %q to %q, at most %d: %d, want %d", pair[0], pair[1], most, got, test.want)
				}
			}
		}
	}
}
