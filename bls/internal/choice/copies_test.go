package choice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestCopies has each of 100 samples six times: no fold divides them. Where rows agree by chance, or
// have different targets, the folds are as if nothing was known about the rows.
func TestCopies(t *testing.T) {
	const l, samples = 600, 100
	r := rand.New(rand.NewPCG(8, 1))
	table := func(value func(i, j int) float64) *mat.Dense {
		m := mat.NewDense(l, 3, nil)
		m.Apply(func(i, j int, _ float64) float64 { return value(i, j) }, m)
		return m
	}
	sample, labels := testutil.Random(r, samples, 3), make([]int, l)
	copied := table(func(i, j int) float64 { return sample.At(i%samples, j) })
	bits := table(func(i, j int) float64 { return float64(i >> j & 1) })
	parity := table(func(i, _ int) float64 { return float64((i ^ i>>1 ^ i>>2) & 1) })
	single := testutil.Random(r, l, 3)
	state := table(func(i, j int) float64 { return single.At(max(0, i-l/2), j) })
	for i := range labels {
		labels[i] = i % samples % 3
	}
	for _, labels := range [][]int{nil, labels} {
		f, fold := NewFolds(Data{Rows: l, Labels: labels, X: copied, Y: copied}), map[int]int{}
		for i := range numFolds {
			if n := f.ends[i+1] - f.ends[i]; n < l/numFolds-18 || n > l/numFolds+18 { // a group of each class
				t.Errorf("fold %d has %d rows", i, n)
			}
			for _, row := range f.rows[f.ends[i]:f.ends[i+1]] {
				if at, found := fold[row%samples]; found && at != i {
					t.Fatalf("sample %d is in folds %d and %d", row%samples, at, i)
				}
				fold[row%samples] = i
			}
		}
		if rows := slices.Sorted(slices.Values(f.rows)); len(slices.Compact(rows)) != l {
			t.Errorf("%d rows", len(rows))
		}
		for name, pair := range map[string][2]*mat.Dense{
			"other targets": {copied, single}, "few values": {bits, parity}, "all different": {single, copied},
			"one state": {state, state},
		} {
			with := NewFolds(Data{Rows: l, Labels: labels, X: pair[0], Y: pair[1]})
			if !slices.Equal(with.rows, NewFolds(Data{Rows: l, Labels: labels}).rows) {
				t.Errorf("%s: the rows are grouped", name)
			}
		}
	}
}
