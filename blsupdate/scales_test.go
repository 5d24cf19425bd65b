package blsupdate

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/long"
	"blskernel/mat"
)

// anyScale returns 1, or 10 to any power from -150 to 150.
func anyScale(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		return 1
	}
	return math.Pow(10, 300*r.Float64()-150)
}

// wild returns random rows, each of them, each column and all together with a scale of its own.
func wild(r *rand.Rand, rows, cols int) *mat.Dense {
	m := testutil.Random(r, rows, cols)
	all, columns := anyScale(r), make([]float64, cols)
	for j := range columns {
		columns[j] = anyScale(r)
	}
	for i := range rows {
		row := anyScale(r)
		for j := range cols {
			// Beyond float64 it is no row, as AddInputs would say.
			m.Set(i, j, max(-math.MaxFloat64, min(math.MaxFloat64, m.At(i, j)*all*columns[j]*row)))
		}
	}
	return m
}

// wildLife does what a seed says with a model and wild rows, and calls check after each thing that was
// done.
func wildLife(seed uint64, check func(u Updater)) {
	r := rand.New(rand.NewPCG(seed, 92))
	k, c := 1+r.IntN(6), 1+r.IntN(2)
	method := Methods()[r.IntN(len(Methods()))]
	opt := Options{Lambda: []float64{0, 0x1p-30, 1, anyScale(r)}[r.IntN(4)], Form: Form(r.IntN(len(formNames))), Solve: r.IntN(2) == 0}
	rows := func(n int) (ax, ya *mat.Dense) {
		if r.IntN(3) == 0 {
			return testutil.Random(r, n, k), testutil.Random(r, n, c)
		}
		return wild(r, n, k), wild(r, n, c)
	}
	a, y := rows(k + r.IntN(10))
	u, err := New(method, a, y, opt)
	if err != nil {
		return
	}
	check(u)
	var ax, ya *mat.Dense
	for range 6 {
		switch r.IntN(6) {
		case 0:
			_ = u.Forget(0.5 + r.Float64()/2) // an error leaves the model as it is
		case 1:
			if ax != nil {
				_ = u.RemoveInputs(ax, ya)
				ax = nil
			}
		case 2:
			_, _ = u.Weights()
			u.Condition()
		default:
			ax, ya = rows(1 + r.IntN(2*k))
			if u.AddInputs(ax, ya) != nil {
				ax = nil
			}
		}
		check(u)
	}
}

// checkReadable fails the test if what Encode accepts Decode does not, as the same model. It tells
// whether Encode does.
func checkReadable(t *testing.T, u Updater) bool {
	t.Helper()
	var out bytes.Buffer
	if Encode(&out, u) != nil {
		return false
	}
	v, err := Decode(bytes.NewReader(out.Bytes()), nil)
	if err != nil {
		t.Fatalf("%v: %v", u.Method(), err)
	}
	if !bytes.Equal(encoded(t, v), out.Bytes()) {
		t.Fatalf("%v: read as something else", u.Method())
	}
	return true
}

// TestScalesAreKept: whatever the scales of rows, columns and batches, what can be written can be read.
// BLSKERNEL_LONG=1 takes 50 times as many seeds.
func TestScalesAreKept(t *testing.T) {
	seeds := uint64(2000)
	switch {
	case long.Asked():
		seeds *= 50
	case testing.Short():
		seeds /= 20
	}
	kept, all := 0, 0
	for seed := range seeds {
		wildLife(seed, func(u Updater) {
			all++
			if checkReadable(t, u) {
				kept++
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if 10*kept < 9*all {
		t.Errorf("of %d states %d can be written", all, kept)
	}
}

// wildModels are encodings of models of wild rows.
func wildModels(t testing.TB) [][]byte {
	var all [][]byte
	for seed := range uint64(30) {
		var last []byte
		wildLife(seed, func(u Updater) {
			var out bytes.Buffer
			if Encode(&out, u) == nil {
				last = slices.Clone(out.Bytes())
			}
		})
		if last != nil {
			all = append(all, last)
		}
	}
	if len(all) < 10 {
		t.Fatalf("%d models", len(all))
	}
	return all
}
