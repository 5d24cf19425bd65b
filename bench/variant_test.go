package bench

import (
	"testing"

	"blskernel/blsupdate"
)

func TestVariants(t *testing.T) {
	for _, v := range []Variant{
		{Method: blsupdate.Original}, {Method: blsupdate.Improved, Form: blsupdate.Paper}, {Method: blsupdate.Improved, Form: blsupdate.Large, Solve: true},
		{Method: blsupdate.Improved, Solve: true}, {Method: blsupdate.RidgeInverse, Form: blsupdate.Small},
	} {
		if got, err := ParseVariant(v.String()); got != v || err != nil {
			t.Errorf("%v is read as %v, %v", v, got, err)
		}
		cost := Cost{Method: v.Method.String(), Form: v.Form.String(), Solve: v.Solve}
		if got := cost.Variant(); got != v.String() {
			t.Errorf("the cost of %v is of %s", v, got)
		}
	}
	if got := (Variant{blsupdate.Improved, blsupdate.Compressed, true}).String(); got != "improved/compressed/solve" {
		t.Errorf("the name is %q", got)
	}
	for _, bad := range []string{"", "best", "improved/", "improved/tiny", "gram/solve/x"} {
		if v, err := ParseVariant(bad); err == nil {
			t.Errorf("%q is read as %v", bad, v)
		}
	}
}
