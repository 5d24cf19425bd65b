package fuzz

import "testing"

func TestBelow(t *testing.T) {
	c := Choices{7, 255, 0}
	for i, tc := range []struct{ n, want int }{{5, 2}, {256, 255}, {1, 0}, {9, 0}} {
		if got := c.Below(tc.n); got != tc.want {
			t.Errorf("choice %d below %d is %d, want %d", i, tc.n, got, tc.want)
		}
	}
}
