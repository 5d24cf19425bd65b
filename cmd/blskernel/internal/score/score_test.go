package score

import (
	"fmt"
	"strings"
	"testing"
)

// TestClassificationLines checks that the text names the rows of the AUC if rows had to be left out. It
// does not if unknown labels or weights of zero leave fewer. The line of a group names fewer rows.
func TestClassificationLines(t *testing.T) {
	most := MaxAUCRows(3)
	for _, tc := range []struct {
		rows, unknown int64
		auc           int
		note          bool
	}{
		{3_000_000, 0, most, true}, {3_000_000, 0, most - 1, false}, {int64(most), 0, most, false}, {3_000_000, 3_000_000 - int64(most), most, false},
		{100, 0, 100, false},
	} {
		q := &Classification{Rows: tc.rows, Unknown: tc.unknown, AUCRows: tc.auc, most: most, Classes: make([]classQuality, 3)}
		if got := strings.Contains(q.lines(), "rows, drawn with a fixed seed)"); got != tc.note {
			t.Errorf("%+v: %s", tc, q.lines())
		}
		of := fmt.Sprintf(" (of %d rows), log loss", tc.auc)
		if got := strings.Contains(Sketch(q).Brief(), of); got != tc.note {
			t.Errorf("%+v: %s", tc, q.Brief())
		}
	}
}
