package soak

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// updaterTasks returns a task for each method and form, whose model learns, unlearns and forgets.
//
// Weights are within 50 sqrt(l) eps κ² of their norm for every method (docs/numerics.md). A removal of
// rows with leverage h adds 1e4 eps/(1-h), and two runs are within twice the sum. The rows have κ < 5
// and 1-h > 1/4, which is checked.
func updaterTasks(t *testing.T, b blskernel.Backend) []*soakTask {
	t.Helper()
	const (
		l, k, c = 200, 40, 3
		q       = 20
		wide    = 60
		kappa   = 5
	)
	rnd := rand.New(rand.NewPCG(73, 1))
	rows := func(q int) (a, y *mat.Dense) {
		return mat.NewDense(q, k, uniform(rnd, q*k)), mat.NewDense(q, c, uniform(rnd, q*c))
	}
	a0, y0 := rows(l)
	a1, y1 := rows(q)
	a2, y2 := rows(wide)
	weights := uniform(rnd, q)
	for i := range weights {
		weights[i]++
	}
	var svd gonum.SVD
	if !svd.Factorize(a0, gonum.SVDNone) || !(svd.Cond() < kappa) {
		t.Fatalf("the condition number of the first rows is %v", svd.Cond())
	}
	// With s = (‖Ax‖ / the smallest singular value of the first rows)², 1-h >= 1/(1+s).
	least := svd.Values(nil)[k-1]
	if !svd.Factorize(a1, gonum.SVDNone) || !(math.Pow(svd.Values(nil)[0]/least, 2) < 3) {
		t.Fatal("the rows that are removed are too large")
	}
	bound := 2 * (50*math.Sqrt(l+2*q+wide)*soakEps*kappa*kappa + 4e4*soakEps)

	var tasks []*soakTask
	for _, way := range []struct {
		method blsupdate.Method
		form   blsupdate.Form
	}{
		{blsupdate.Gram, blsupdate.Auto}, {blsupdate.QR, blsupdate.Auto},
		{blsupdate.RidgeInverse, blsupdate.Small}, {blsupdate.RidgeInverse, blsupdate.Large},
		{blsupdate.InverseCholesky, blsupdate.Small}, {blsupdate.InverseCholesky, blsupdate.Large},
		{blsupdate.Original, blsupdate.Auto},
		{blsupdate.Improved, blsupdate.Small}, {blsupdate.Improved, blsupdate.Large}, {blsupdate.Improved, blsupdate.Compressed},
	} {
		opt := blsupdate.Options{Form: way.form, Backend: b}
		if way.method != blsupdate.Original && way.method != blsupdate.Improved {
			opt.Lambda = 1e-3
		}
		run := func() ([]float64, error) {
			u, err := blsupdate.New(way.method, a0, y0, opt)
			if err != nil {
				return nil, err
			}
			// If a call fails, the model is unchanged, and the other calls still succeed.
			err = errors.Join(u.AddInputs(a1, y1), u.AddInputsContext(t.Context(), a1, y1, weights), u.RemoveInputs(a1, y1), u.Forget(0.75), u.AddInputs(a2, y2))
			w, failed := u.Weights()
			if err := errors.Join(err, failed); err != nil {
				return nil, err
			}
			if d := u.Condition().Digits; !(d > 6) {
				return nil, fmt.Errorf("%v digits", d)
			}
			return w.RawMatrix().Data, nil
		}
		tasks = append(tasks, &soakTask{name: fmt.Sprintf("%v-%v", way.method, way.form), bound: bound, relative: true, run: run})
	}
	return tasks
}
