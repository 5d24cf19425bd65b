package pseudoinverse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/types"
	"blskernel/mat"
)

// TestRowsRemove removes, picks, drops and appends rows of many blocks, and compares with a list.
func TestRowsRemove(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(66, seed))
		const cols = 3
		s := rows{cols: cols}
		var all [][]float64
		for range 1 + r.IntN(8) {
			n := 1 + r.IntN(2*smallBlock)
			if r.IntN(2) == 0 {
				n = 1 + r.IntN(5)
			}
			data := make([]float64, n*cols)
			for i := range data {
				data[i] = r.NormFloat64()
			}
			for i := range n {
				all = append(all, slices.Clone(data[i*cols:(i+1)*cols]))
			}
			s.append(data)
		}
		check := func(what string) {
			t.Helper()
			if s.count != len(all) {
				t.Fatalf("seed %d, %s: %d rows, want %d", seed, what, s.count, len(all))
			}
			var got []float64
			s.blockwise(func(_ int, m *mat.Dense) { got = append(got, m.RawMatrix().Data...) })
			if !slices.Equal(got, slices.Concat(all...)) {
				t.Fatalf("seed %d, %s: other rows", seed, what)
			}
		}
		for len(all) > 0 {
			places := r.Perm(len(all))[:1+r.IntN(len(all))]
			picked := s.pick(places)
			for i, place := range places {
				if !slices.Equal(picked.RawRowView(i), all[place]) {
					t.Fatalf("seed %d: row %d picked wrong", seed, place)
				}
			}
			slices.Sort(places)
			s.remove(places)
			for i := len(places) - 1; i >= 0; i-- {
				all = slices.Delete(all, places[i], places[i]+1)
			}
			check("remove")
			for i := 1; i < len(s.blocks); i++ {
				if len(s.blocks[i-1].data)+len(s.blocks[i].data) <= smallBlock*cols {
					t.Fatalf("seed %d: neighbors of few rows", seed)
				}
			}
			n := r.IntN(len(all) + 1)
			s.truncate(n)
			all = all[:n]
			check("truncate")
			extra := []float64{1, 2, 3}
			if n > 0 {
				s.append(slices.Clone(extra))
				all = append(all, extra)
				check("append")
			}
		}
	}
}

func TestPanelRows(t *testing.T) {
	for q, want := range map[int]int{1: 1024, 8192: 1024, 10000: 838, 1 << 20: 16} {
		if got := panelRows(q); got != want {
			t.Errorf("panelRows(%d) = %d, want %d", q, got, want)
		}
	}
	if got := fmt.Sprint(cost.KeptRows(types.Options{}, 100, 1<<30), cost.KeptRows(types.Options{Workspace: -1}, 100, 1), cost.KeptRows(types.Options{Workspace: 80}, 100, 2),
		cost.KeptRows(types.Options{}, 100, 0), cost.KeptRows(types.Options{}, 100, math.MaxInt)); got != "0 0 5 100 0" {
		t.Errorf("kept rows %s", got)
	}
}

// TestRowKeys has hashes that must not change: the hashes in an encoding are compared with new ones.
func TestRowKeys(t *testing.T) {
	a, y := mat.NewDense(2, 2, []float64{1, math.Copysign(0, -1), -2.5, 1e300}), mat.NewDense(2, 1, []float64{3, 0})
	want := []uint64{0x22781dd67583106e, 0x9b872136212335d7}
	if got := rowKeys(a, y); !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}
