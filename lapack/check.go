package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonummat "gonum.org/v1/gonum/mat"
)

const (
	notFactorized   = "lapack: the receiver holds no factorization"
	solveAliased    = "lapack: the solution overlaps the right-hand sides in part"
	refineAliased   = "lapack: the solution shares storage with the matrix or the right-hand side"
	triangleAliased = "lapack: the solution overlaps the triangle"
)

// require panics with text unless ok.
func require(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

// mustHold panics if a receiver is empty.
func mustHold(factorized bool) { require(factorized, notFactorized) }

// checkShape panics with gonum's mat.ErrShape unless ok.
func checkShape(ok bool) {
	if !ok {
		panic(gonummat.ErrShape)
	}
}

// reuse gives an empty dst the size r×c and panics with mat.ErrShape if dst has another size.
func reuse(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		if r > 0 && c > 0 {
			dst.ReuseAs(r, c)
		}
		return
	}
	dr, dc := dst.Dims()
	checkShape(dr == r && dc == c)
}

// reuseFor is reuse for a result with the operand b. It panics too if an empty dst keeps storage, since
// a Reset, that overlaps b: to give it a size would clear b.
func reuseFor(b, dst *mat.Dense, r, c int) {
	if kept := dst.RawMatrix().Data; dst.IsEmpty() && cap(kept) >= r*c {
		require(!block.Overlap(block.Storage(kept[:r*c]), b.RawMatrix()), solveAliased)
	}
	reuse(dst, r, c)
}

// checkOverlap panics if dst and b overlap and are not the same matrix.
func checkOverlap(dst, b *mat.Dense) {
	x, y := dst.RawMatrix(), b.RawMatrix()
	same := dst == b || block.Address(x.Data) == block.Address(y.Data) && x.Stride == y.Stride
	require(same || !block.Overlap(x, y), solveAliased)
}

// checkFinite returns an *ElementError of the given kind for the first element of g, or of its triangle
// ul, that is NaN or infinite; ul is blas.All for all of g.
func checkFinite(bk blskernel.Backend, routine string, ul blas.Uplo, g blas64.General, kind error) error {
	return elementError(routine, lapack.NotFinite(lapack.On(bk), ul, g.Rows, g.Cols, blockOf(g)), kind)
}

// checkFinitePacked is checkFinite for the n×n packed matrix ap.
func checkFinitePacked(bk blskernel.Backend, routine string, n int, ap []float64, kind error) error {
	return elementError(routine, lapack.NotFinite(lapack.On(bk), blas.Upper, n, n, block.Packed(n, ap, 0, 0)), kind)
}

// checkTriangle returns an error if the upper triangle of g holds a number that is not finite, or a
// zero on its diagonal.
func checkTriangle(routine string, n int, u block.Matrix) error {
	element, pivot := lapack.CheckTriangle(n, u)
	if element != nil {
		return elementError(routine, element, ErrNotFinite)
	}
	return pivotError(routine, pivot)
}

// isFinite reports whether v is neither NaN nor infinite.
func isFinite(v float64) bool { return v-v == 0 }

// blockOf returns g as a block.
func blockOf(g blas64.General) block.Matrix { return block.Dense(g.Data, g.Stride) }

// rawOrNone returns the matrix of d, without rows and columns where d is nil.
func rawOrNone(d *mat.Dense) blas64.General {
	if d == nil {
		return blas64.General{}
	}
	return d.RawMatrix()
}

// denseCopy returns a copy of a without gaps between its rows.
func denseCopy(a *mat.Dense) blas64.General {
	raw := a.RawMatrix()
	g := blas64.General{Rows: raw.Rows, Cols: raw.Cols, Stride: max(1, raw.Cols), Data: make([]float64, raw.Rows*raw.Cols)}
	block.Copy(blockOf(g), blockOf(raw), raw.Rows, raw.Cols)
	return g
}

// denseOn returns the matrix on the storage of g.
func denseOn(g blas64.General) *mat.Dense {
	var d mat.Dense
	if g.Rows > 0 && g.Cols > 0 {
		d.SetRawMatrix(g)
	}
	return &d
}

// transposed returns the BLAS argument for a transpose that is wanted or not.
func transposed(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

// cube returns n³.
func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }
