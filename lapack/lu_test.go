package lapack

import (
	"errors"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// Every order to 40 in small blocks, and orders about the block sizes in use.
func TestLU(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for _, m := range generalFamilies() {
			if m.singular {
				continue
			}
			rng := testutil.Rand(11)
			for _, s := range append(sizes(), size{300, 0}, size{300, 40}) {
				if s.n > 100 && m.name != "random" && s.n != 150 {
					continue
				}
				f := LU{Backend: bk, base: s.nb, nb: s.nb}
				checkGalleryLU(t, m.name, &f, m.generate(rng, s.n), randomFull(rng, s.n, 1+s.n%5), ratios)
			}
		}
	})
}

// factorsOf returns L and U of P A = L U, or of P Aᵀ = L U where the transpose was factored.
func factorsOf(f *LU) (l, u *full) {
	n := f.Dim()
	stored := newFull(n, n)
	for i := range n {
		copy(stored.row(i), f.lu.Data[i*f.lu.Stride:])
	}
	if f.transposed() {
		stored = stored.transpose()
	}
	l, u = identity(n), newFull(n, n)
	for i := range n {
		copy(l.row(i)[:i], stored.row(i))
		copy(u.row(i)[i:], stored.row(i)[i:])
	}
	return l, u
}

func TestLUGolden(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		// P A = L U with A = [1 2; 4 12]: the rows are exchanged, L21 = 1/4, U = [4 12; 0 -1].
		// For Aᵀ, the columns are, L21 = 1/2, U = [2 12; 0 -2], and it is the transposes of
		// these that are stored.
		f := LU{Backend: bk}
		if err := f.Factorize(mat.NewDense(2, 2, []float64{1, 2, 4, 12})); err != nil {
			t.Fatal(err)
		}
		want := []float64{4, 12, 0.25, -1}
		if f.transposed() {
			want = []float64{2, 0.5, 12, -2}
		}
		if !sameBits(f.lu.Data, want) || f.swap[0] != 1 || f.swap[1] != 1 {
			t.Errorf("LU = %v, exchanges %v", f.lu.Data, f.swap)
		}
		x, err := f.InverseInPlace()
		if err != nil || !sameBits(x.RawMatrix().Data, []float64{3, -0.5, -1, 0.25}) {
			t.Errorf("inverse %v, %v", x, err)
		}
	})
}

func TestLUErrors(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		// Small integers of rank 2: the last row is the difference of the others, and all
		// quotients are exact.
		wantPivot(t, "rank 2", (&LU{Backend: bk}).Factorize(mat.NewDense(3, 3, []float64{4, 2, 1, 2, 2, 1, -2, 0, 0})), ErrSingular, 2)
		f := LU{Backend: bk}
		wantPivot(t, "overflow", f.Factorize(mat.NewDense(2, 2, []float64{1e308, 1e308, -1e308, 1e308})), ErrNotFinite, 1)
		if err := f.Factorize(mat.NewDense(1, 1, []float64{1e-310})); err != nil {
			t.Fatal(err)
		}
		wantElement(t, "overflow", f.SolveTo(&mat.Dense{}, mat.NewDense(1, 1, []float64{1})), ErrSingular, 0, 0)
		if _, err := f.InverseInPlace(); !errors.Is(err, ErrSingular) {
			t.Errorf("error %v", err)
		}
	})
}
