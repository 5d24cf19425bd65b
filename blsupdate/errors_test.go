package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

func nan(m *mat.Dense, i, j int, v float64) *mat.Dense {
	c := gonummat.DenseCopyOf(m)
	c.Set(i, j, v)
	return c
}

// TestBadBatch gives every updater bad rows and compares the state bit by bit.
func TestBadBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	const l, k, c = 12, 4, 2
	good, goodY := testutil.Random(r, 3, k), testutil.Random(r, 3, c)
	huge := scaled(testutil.Random(r, 3, k), 1e170)
	for _, test := range []struct {
		name   string
		ax, ya *mat.Dense
		as     any
		says   string
	}{
		{"nil Ax", nil, goodY, new(*ShapeError), "Ax is 0×0"},
		{"nil Ya", good, nil, new(*ShapeError), "Ya is 0×0"},
		{"zero rows", &mat.Dense{}, &mat.Dense{}, new(*ShapeError), "at least one row"},
		{"columns of Ax", testutil.Random(r, 3, k+1), goodY, new(*ShapeError), "Ax is 3×5; want 4 columns"},
		{"columns of Ya", good, testutil.Random(r, 3, c+1), new(*ShapeError), "Ya is 3×3; want 2 columns"},
		{"rows of Ya", good, testutil.Random(r, 2, c), new(*ShapeError), "Ya is 2×2; want 3 rows"},
		{"NaN in Ax", nan(good, 2, 1, math.NaN()), goodY, new(*NotFiniteError), "element (2,1) of Ax is NaN"},
		{"Inf in Ax", nan(good, 0, 3, math.Inf(-1)), goodY, new(*NotFiniteError), "element (0,3) of Ax is -Inf"},
		{"NaN in Ya", good, nan(goodY, 1, 1, math.NaN()), new(*NotFiniteError), "element (1,1) of Ya is NaN"},
		{"overflow in Ax", huge, goodY, nil, "overflow"},
	} {
		for _, cfg := range configurations {
			for _, rows := range []int{l, 2} { // full rank, and with C to be computed
				t.Run(fmt.Sprintf("%s/%s/l=%d", test.name, cfg.String(), rows), func(t *testing.T) {
					u := mustNew(t, cfg.method, testutil.Random(r, rows, k), testutil.Random(r, rows, c), Options{Form: cfg.form, Solve: cfg.solve})
					before := digest(u)
					err := u.AddInputs(test.ax, test.ya)
					if err == nil || !strings.Contains(err.Error(), test.says) {
						t.Fatalf("error %v does not say %q", err, test.says)
					}
					if test.as != nil && !errors.As(err, test.as) {
						t.Errorf("error is a %T, want %T", err, test.as)
					}
					if test.as == nil && !errors.Is(err, ErrOverflow) {
						t.Errorf("error %v is not ErrOverflow", err)
					}
					if digest(u) != before || u.Samples() != rows {
						t.Error("the state has changed")
					}
					if err := u.AddInputs(good, goodY); err != nil {
						t.Errorf("a good batch after the bad one: %v", err)
					}
				})
			}
		}
	}
}

func TestBadStart(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	a, y := testutil.Random(r, 6, 3), testutil.Random(r, 6, 1)
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
		{"C", Improved, a, y, Options{C: 9}, new(*OptionError), "C is CMode(9)"},
		{"C with a ridge", Improved, a, y, Options{C: CCheck, Lambda: 1}, new(*OptionError), "Lambda = 0"},
		{"wide with a ridge", Improved, testutil.Random(r, 2, 3), testutil.Random(r, 2, 1), Options{Lambda: 1}, new(*RankError), "2 samples for 3 nodes"},
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

// TestInputsUntouched checks that neither A, Y, Ax nor Ya is changed or kept.
func TestInputsUntouched(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 0))
	for _, cfg := range configurations {
		a, y, ax, ya := testutil.Random(r, 9, 3), testutil.Random(r, 9, 2), testutil.Random(r, 5, 3), testutil.Random(r, 5, 2)
		all := []*mat.Dense{a, y, ax, ya}
		var copies []*mat.Dense
		for _, m := range all {
			copies = append(copies, gonummat.DenseCopyOf(m))
		}
		u := mustNew(t, cfg.method, a, y, Options{Form: cfg.form, Solve: cfg.solve})
		must(t, u.AddInputs(ax, ya))
		for i, m := range all {
			if !gonummat.Equal(m, copies[i]) {
				t.Errorf("%s: matrix %d was changed", cfg.String(), i)
			}
		}
		before := digest(u)
		for _, m := range all {
			m.Zero()
		}
		weights(t, u).Zero()
		if digest(u) != before {
			t.Errorf("%s: the state shares storage with a caller's matrix", cfg.String())
		}
	}
}

func TestNames(t *testing.T) {
	for _, m := range Methods() {
		if got, err := ParseMethod(strings.ToUpper(m.String())); got != m || err != nil {
			t.Errorf("ParseMethod(%v) = %v, %v", m, got, err)
		}
	}
	for _, f := range []Form{Auto, Paper, Small, Large, Compressed} {
		if got, err := ParseForm(f.String()); got != f || err != nil {
			t.Errorf("ParseForm(%v) = %v, %v", f, got, err)
		}
	}
	if _, err := ParseMethod("best"); err == nil || !strings.Contains(err.Error(), "improved, original") {
		t.Errorf("ParseMethod(best) = %v", err)
	}
	if _, err := ParseForm(""); err == nil {
		t.Error("ParseForm of nothing succeeds")
	}
}
