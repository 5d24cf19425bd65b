package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"
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
// when it returns an error (see InverseTo). The workspace is two
// blocks on the diagonal, of at most 128×136 numbers each.
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
	defer blskernel.Hold(bk, 2*cube(f.n)/3)()
	on := block.On(bk)
	inverse(bk, on, baseOrder(f.nb), f.n, block.Packed(f.n, ap, 0, 0), &f.d)
	exchangeSym(on, f.n, ap, f.swap)
	return finiteInverse(on, "Dsptri", f.n, ap)
}

// exchangeSym exchanges rows and columns k and swap[k] of the packed symmetric matrix ap, for k = n-1
// down to 0. An exchange at k changes two elements of each row above k. No other exchange before the
// turn of that row comes to them, so each row is done at once, apart from the others, and the rows from
// k on after it.
func exchangeSym(on block.Products, n int, ap []float64, swap []int) {
	exchangeRowsAlone(on, n, ap, swap, func(row int) int { return row + 1 }, true)
	for k := n - 1; k >= 0; k-- {
		s := swap[k]
		if s == k {
			continue
		}
		row, other := ap[block.PackedRow(n, k):], ap[block.PackedRow(n, s):]
		row[k], other[s] = other[s], row[k]
		for i := k + 1; i < s; i++ {
			at := block.PackedRow(n, i) + s
			row[i], ap[at] = ap[at], row[i]
		}
		right, below := row[s+1:n], other[s+1:n]
		for i, v := range right {
			right[i], below[i] = below[i], v
		}
	}
}
