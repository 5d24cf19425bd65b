package bench

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name           string
		initial, batch int
		lambda         float64
		form           blsupdate.Form
	}{
		{"q<k", 90, 20, 0x1p-30, blsupdate.Auto},
		{"q>k small", 90, 130, 0x1p-30, blsupdate.Small},
		{"q>k large", 90, 130, 0x1p-30, blsupdate.Large},
		{"strong ridge", 90, 20, 1e-2, blsupdate.Auto},
		{"lambda 0", 90, 20, 0, blsupdate.Auto},
		{"lambda 0 large", 90, 130, 0, blsupdate.Large},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := small(tc.initial, tc.batch, 3)
			e.Check, e.Update.Lambda, e.Update.Form = true, tc.lambda, tc.form
			last := 0.0
			for i, rows := range collect(t, e) {
				for _, r := range rows {
					checkRow(t, r)
					c := r.Check
					t.Logf("%s, %d samples: %+v", r.Method, r.Samples, *c)
					if !(c.Condition >= max(1, last)) {
						t.Errorf("%s, %d samples: condition %v after %v", r.Method, r.Samples, c.Condition, last)
					}
					last = c.Condition
					// Without a ridge the ridge solution is the solution; the start
					// with one is exact.
					if (tc.lambda == 0 || i == 0) && !(c.RidgeDifference <= c.Bound) {
						t.Errorf("%s, %d samples: ridge difference %v; want at most %v", r.Method, r.Samples, c.RidgeDifference, c.Bound)
					}
					// With a strong one the bias of the update is far above
					// rounding, and is seen.
					if tc.name == "strong ridge" && i > 0 && !(c.RidgeDifference > 1e-3) {
						t.Errorf("%s, %d samples: ridge difference %v is too small to be true", r.Method, r.Samples, c.RidgeDifference)
					}
				}
			}
		})
	}
}

// checkRow fails the test unless the weights of r are within the bound of those from scratch and of
// those of the first method.
func checkRow(t *testing.T, r Row) {
	t.Helper()
	c := r.Check
	if c == nil {
		t.Fatalf("%s, %d samples: no check", r.Method, r.Samples)
	}
	if !(c.OneShotError <= c.Bound) {
		t.Errorf("%s, %d samples: weights differ from those from scratch by %v; bound %v", r.Method, r.Samples, c.OneShotError, c.Bound)
	}
	if !(c.FirstMethodError <= c.Bound) {
		t.Errorf("%s, %d samples: weights differ from those of the first method by %v; bound %v", r.Method, r.Samples, c.FirstMethodError, c.Bound)
	}
}

// TestCheckSees changes the weights by 1e-3 and expects the check to say so: for both methods against
// the solution from scratch, and for one of them against the other.
func TestCheckSees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, y := testutil.Random(r, 40, 7), testutil.Random(r, 40, 3)
	u, err := blsupdate.New(blsupdate.Original, a, y, blsupdate.Options{})
	testutil.NoError(t, err)
	right, err := u.Weights()
	testutil.NoError(t, err)
	var wrong mat.Dense
	wrong.Scale(1.001, right)
	rows := make([]Row, 2)
	var c checker
	testutil.NoError(t, c.compare(Variants(blsupdate.Original, blsupdate.QR), rows, []*mat.Dense{right, &wrong}, a, y, blsupdate.Options{}))
	if got := rows[0].Check; !(got.OneShotError <= got.Bound && got.Bound < 1e-9) || got.FirstMethodError != 0 {
		t.Errorf("right weights: %+v", *got)
	}
	// Rounding changes these by far less than the tolerance.
	got := rows[1].Check
	for _, v := range []float64{got.OneShotError, got.RidgeDifference, got.FirstMethodError} {
		if !(math.Abs(v-1e-3) <= 1e-9) {
			t.Errorf("weights times 1.001: %+v", *got)
		}
	}
}

// TestSolveDeficient compares the solution of least norm with the pseudoinverse of A = F G by its
// full-rank factors, A⁺ = G⁺F⁺, each found by a plain solution.
func TestSolveDeficient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, d := range []struct{ l, k, rank int }{{12, 6, 4}, {5, 9, 5}, {9, 9, 1}, {4, 7, 2}, {9, 5, 5}} {
		f, g, y := testutil.Random(r, d.l, d.rank), testutil.Random(r, d.rank, d.k), testutil.Random(r, d.l, 2)
		var a, fy, want, gt mat.Dense
		a.Mul(f, g)
		testutil.NoError(t, fy.Solve(f, y))
		gt.CloneFrom(g)
		// Of least norm, where there are more columns than rows.
		testutil.NoError(t, want.Solve(&gt, &fy))
		got, values, err := solve(&a, y, 0, blsupdate.Options{})
		testutil.NoError(t, err)
		if len(values) != d.rank {
			t.Errorf("%+v: rank %d", d, len(values))
		}
		// The condition numbers of F and G are some tens, their product below 1e4: 1e4 eps
		// times a few.
		if diff := distance(got, &want); !(diff <= 1e-10) {
			t.Errorf("%+v: differs by %v", d, diff)
		}
	}
	if _, _, err := solve(mat.NewDense(4, 3, nil), testutil.Random(r, 4, 1), 0, blsupdate.Options{}); err == nil {
		t.Error("no error for a matrix of zeros")
	}
}

// TestCheckGrowingRank has fewer samples than nodes at first; all numbers are finite, as JSON wants
// them.
func TestCheckGrowingRank(t *testing.T) {
	e := small(30, 20, 3)
	e.Check, e.Update.Lambda = true, 0
	for _, rows := range collect(t, e) {
		for _, r := range rows {
			c := r.Check
			if sum := c.Condition + c.Bound + c.OneShotError + c.RidgeDifference + c.FirstMethodError; math.IsNaN(sum - sum) {
				t.Errorf("%s, %d samples: %+v", r.Method, r.Samples, *c)
			}
			if r.Samples == 30 && !(c.OneShotError <= c.Bound) {
				t.Errorf("%s: the start differs from the solution of least norm by %v; bound %v", r.Method, c.OneShotError, c.Bound)
			}
		}
	}
}
