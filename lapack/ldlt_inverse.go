package lapack

import (
	"blskernel"
	"blskernel/internal/packed"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// InverseTo writes A⁻¹ to dst, in 2n³/3 flops, and leaves the factorization as it is. An empty dst
// is given its size. Solve instead of inverting wherever only A⁻¹B is wanted: it is cheaper, and more
// accurate.
//
// The error matches ErrSingular where the inverse overflows; dst then holds what was computed.
// InverseTo panics with mat.ErrShape if dst has another order, and if the receiver is empty.
// (LAPACK: dsptri, in blocks.)
func (f *LDLT) InverseTo(dst *mat.SymPacked) error {
	f.mustHold()
	return f.invert(copyFactor(dst, f.n, f.u))
}

// InverseInPlace returns A⁻¹ in the storage of the factorization and leaves the receiver empty, also
// when it returns an error (see InverseTo). The workspace is 258n numbers.
func (f *LDLT) InverseInPlace() (*mat.SymPacked, error) {
	f.mustHold()
	n, ap := f.n, f.u
	err := f.invert(ap)
	f.Reset()
	if err != nil {
		return nil, err
	}
	return mat.NewSymPacked(n, ap), nil
}

// invert overwrites the factor in ap by the inverse A⁻¹ = Pᵀ (UᵀDU)⁻¹ P.
func (f *LDLT) invert(ap []float64) error {
	bk := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dsptri", M: f.n, N: f.n})
	inverseSym(bk, f.n, f.block(), ap, blas.Unit, f.d.inverse())
	exchangeSym(f.n, ap, f.swap)
	return checkFinitePacked("Dsptri", f.n, ap, ErrSingular)
}

// exchangeSym exchanges rows and columns k and swap[k] of the packed symmetric matrix ap, for
// k = n-1 down to 0. An exchange at k changes two elements of each row above k; those are left until
// the turn of that row, so that they are found in the cache.
func exchangeSym(n int, ap []float64, swap []int) {
	for k := n - 1; k >= 0; k-- {
		row := ap[packed.Row(n, k):]
		for i := n - 1; i > k; i-- {
			s := swap[i]
			row[i], row[s] = row[s], row[i]
		}
		s := swap[k]
		if s == k {
			continue
		}
		other := ap[packed.Row(n, s):]
		row[k], other[s] = other[s], row[k]
		for i := k + 1; i < s; i++ {
			at := packed.Row(n, i) + s
			row[i], ap[at] = ap[at], row[i]
		}
		for i := s + 1; i < n; i++ {
			row[i], other[i] = other[i], row[i]
		}
	}
}
