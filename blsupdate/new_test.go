package blsupdate

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

func nan(m *mat.Dense, i, j int, v float64) *mat.Dense {
	c := gonummat.DenseCopyOf(m)
	c.Set(i, j, v)
	return c
}

func TestBadStart(t *testing.T) {
	r, a, y := problem(9, 0, 6, 3, 1)
	for _, test := range []struct {
		name   string
		method Method
		a, y   *mat.Dense
		opt    Options
		as     any
		says   string
	}{
		{"no A", Original, nil, y, Options{}, new(*ShapeError), "A is 0×0"},
		{"no Y", Original, a, &mat.Dense{}, Options{}, new(*ShapeError), "Y is 0×0"},
		{"rows", Original, a, testutil.Random(r, 5, 1), Options{}, new(*ShapeError), "Y is 5×1; want 6 rows"},
		{"NaN in A", Original, nan(a, 1, 2, math.NaN()), y, Options{}, new(*NotFiniteError), "element (1,2) of A is NaN"},
		{"Inf in Y", Original, a, nan(y, 5, 0, math.Inf(1)), Options{}, new(*NotFiniteError), "element (5,0) of Y is +Inf"},
		{"negative lambda", Improved, a, y, Options{Lambda: -1}, new(*OptionError), "Lambda is -1"},
		{"lambda NaN", Improved, a, y, Options{Lambda: math.NaN()}, new(*OptionError), "Lambda is NaN"},
		{"lambda Inf", Improved, a, y, Options{Lambda: math.Inf(1)}, new(*OptionError), "Lambda is +Inf"},
		{"form", Improved, a, y, Options{Form: 17}, new(*OptionError), "Form is Form(17)"},
		{"method", Method(-1), a, y, Options{}, new(*OptionError), "Method is Method(-1)"},
		{"no method", 0, a, y, Options{}, new(*OptionError), "Method is Method(0); want improved, original, ridge-inverse, inverse-cholesky, gram or qr"},
		{"a method too far", QR + 1, a, y, Options{}, new(*OptionError), "Method is Method(7)"},
		{"C", Improved, a, y, Options{C: 9}, new(*OptionError), "C is CMode(9)"},
		{"C with a ridge", Improved, a, y, Options{C: CCheck, Lambda: 1}, new(*OptionError), "C is check; want CAuto or CZero for Lambda > 0"},
		{"wide with a ridge", Improved, testutil.Random(r, 2, 3), testutil.Random(r, 2, 1), Options{Lambda: 1}, new(*RankError), "too few samples (2) for 3 nodes"},
	} {
		u, err := New(test.method, test.a, test.y, test.opt)
		if u != nil || err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		if !errors.As(err, test.as) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v (%T) does not say %q", test.name, err, err, test.says)
		}
	}
}

// A ConditionError gives its own advice, and omits the factorization's, which is for callers of lapack.
func TestConditionErrorText(t *testing.T) {
	ones, zeros := mat.NewDense(4, 3, slices.Repeat([]float64{1}, 12)), mat.NewDense(4, 1, make([]float64, 4))
	u, err := New(Gram, ones, zeros, Options{})
	if err == nil {
		_, err = u.Weights()
	}
	const want = "blsupdate: A'A + lambda I is too ill-conditioned (pivot 1 is 0): use a larger ridge, scale the columns, or use the method qr"
	if err == nil || err.Error() != want || !errors.Is(err, lapack.ErrNotPositiveDefinite) {
		t.Errorf("%v; want %s", err, want)
	}
	for lambda, says := range map[float64]string{0: "or use the method improved", 1e-40: "or drop nodes"} {
		_, err := New(InverseCholesky, ones, zeros, Options{Lambda: lambda})
		var e *ConditionError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), says) {
			t.Fatal(err)
		}
		for _, m := range e.Instead {
			weights(t, started(t, m, ones, zeros, Options{Lambda: lambda}))
		}
	}
	a := wave(4, 2, 1)
	if err := started(t, InverseCholesky, a, zeros, Options{}).AddNodes(a, columnsBetween(a, 0, 1), zeros); err == nil || !strings.Contains(err.Error(), "or use the method improved") {
		t.Error(err)
	}
	// A new node that depends on others exactly, or up to 1e-9: then QR can start with all nodes.
	near := columnsBetween(a, 0, 1)
	near.Set(0, 0, near.At(0, 0)+1e-9)
	for _, h := range []*mat.Dense{columnsBetween(a, 0, 1), near} {
		var e *ConditionError
		if err := started(t, RidgeInverse, a, zeros, Options{}).AddNodes(a, h, zeros); !errors.As(err, &e) ||
			strings.Contains(err.Error(), "use New to start a new model with all nodes") != (h == near) {
			t.Fatal(err)
		}
		var all mat.Dense
		all.Augment(a, h)
		for _, m := range e.Instead {
			weights(t, started(t, m, &all, zeros, Options{}))
		}
	}
	u = started(t, QR, ones, zeros, Options{})
	if _, err = u.Weights(); !is[*ConditionError](err) || strings.Contains(err.Error(), "Small") || !strings.Contains(err.Error(), "drop nodes") {
		t.Error(err)
	}
}
