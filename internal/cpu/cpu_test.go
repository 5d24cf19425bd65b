package cpu

import "testing"

func TestCPU(t *testing.T) {
	if Name() == "" {
		t.Error("the CPU has no name")
	}
	c := CacheSizes()
	if c.L1D <= 0 || c.L2 <= 0 || c.L3 <= 0 {
		t.Errorf("CacheSizes() = %+v, want sizes above zero", c)
	}
	for _, test := range []struct{ size, want int }{{-1, 5}, {0, 5}, {1 << 15, 1 << 15}} {
		if got := known(test.size, 5); got != test.want {
			t.Errorf("known(%d, 5) = %d, want %d", test.size, got, test.want)
		}
	}
}
