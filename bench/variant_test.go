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

// TestVariantNames has the one name of a method with its choices in all that is measured.
func TestVariantNames(t *testing.T) {
	for _, tc := range []struct {
		method, form string
		solve        bool
		want         string
	}{
		{"gram", "auto", false, "gram"}, {"gram", "", false, "gram"}, {"improved", "small", false, "improved/small"}, {"improved", "auto", true, "improved/solve"},
		{"improved", "compressed", true, "improved/compressed/solve"},
	} {
		if got := (Cost{Method: tc.method, Form: tc.form, Solve: tc.solve}).Variant(); got != tc.want {
			t.Errorf("a cost of %+v is of %s", tc, got)
		}
	}
}
