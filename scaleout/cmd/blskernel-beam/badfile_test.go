package main

import (
	"cmp"
	"testing"
)

// TestCompareNumbers wants an order of texts in which numbers count by their size, however long they
// are.
func TestCompareNumbers(t *testing.T) {
	order := []string{"", "01b", "1c", "a", "a1", "a01b", "a2", "a:2", "a:10", "a:10: column 3", "a:9223372036854775808000", "b"}
	for i, a := range order {
		for j, b := range order {
			if got, want := compareNumbers(a, b), cmp.Compare(i, j); got != want {
				t.Errorf("%q, %q: %d, want %d", a, b, got, want)
			}
		}
	}
	if compareNumbers("x01", "x1") != 0 {
		t.Error("01 is not 1")
	}
}
