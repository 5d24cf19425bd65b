package ui

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestValues sets flags with bounds, lists and words. A wrong value leaves the one before.
func TestValues(t *testing.T) {
	n, list, word := 5, []int{1, 2}, ""
	cmd := &cobra.Command{Use: "x"}
	Int(cmd, &n, "n", 0, 9, "")
	Ints(cmd, &list, "list", 1, 9, "")
	Choice(cmd, &word, "word", "", "a", "b", "c")
	if usage := cmd.Flags().FlagUsages(); !strings.Contains(usage, "(default 5)") || !strings.Contains(usage, "(default 1,2)") || word != "a" {
		t.Errorf("%q, %s", word, usage)
	}
	for _, tc := range []struct{ flag, text, want string }{
		{"n", "0", ""}, {"n", "9", ""}, {"n", "-1", "want 0 to 9"}, {"n", "10", "want 0 to 9"}, {"n", "x", "want 0 to 9"}, {"n", "", "want 0 to 9"},
		{"list", "3,4", ""}, {"list", "9", ""}, {"list", "0,1", "want numbers from 1 to 9"}, {"list", "", "want numbers from 1 to 9"}, {"list", "3,3", "3 is there twice"},
		{"word", "b", ""}, {"word", "d", "want a, b or c"}, {"word", "", "want a, b or c"},
	} {
		before := [3]any{n, list, word}
		err := cmd.Flags().Set(tc.flag, tc.text)
		if tc.want == "" {
			if err != nil || cmd.Flag(tc.flag).Value.String() != tc.text {
				t.Errorf("--%s %s: %v, %s", tc.flag, tc.text, err, cmd.Flag(tc.flag).Value)
			}
			continue
		}
		if err == nil || !strings.HasSuffix(err.Error(), ": "+tc.want) || !reflect.DeepEqual(before, [3]any{n, list, word}) {
			t.Errorf("--%s %s: %v; want %s", tc.flag, tc.text, err, tc.want)
		}
	}
}
