package eigen

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// Geev computes the eigenvalues w of the n×n matrix a, which it overwrites. If left is set, it writes
// the left eigenvectors, of unit norm, to the columns of the n×n matrix vl. If right is set, it writes
// the right ones to vr. For a pair of complex eigenvalues the first column is the real part of a vector
// and the second the imaginary part; the largest component is real. Geev returns 0, or the index after
// the last eigenvalue that did not converge; later eigenvalues are then valid, but no vectors are
// computed. With NaN or an infinity in a, none converges. (LAPACK: dgeev.)
//
// It takes about 25n³ flops with left or right vectors, and 10n³ without. If small is set, for orders
// up to SmallOrder, it uses plain loops, since backend calls would take longer than their arithmetic.
// The loops round differently.
func Geev(bk factor.Backend, small bool, n int, a block.Matrix, w []complex128, left bool, vl block.Matrix, right bool, vr block.Matrix) (first int) {
	finite := factor.NotFinite(bk, blas.All, n, n, a) == nil
	exponent, _ := factor.Scale(bk, 485, n, n, a)
	if !finite {
		for i := range w {
			w[i] = complex(math.NaN(), math.NaN())
		}
		return n
	}
	work := factor.Acquire()
	defer work.Release()
	b := gebal(bk, work, n, a)
	tau := work.Take(max(0, n-1))
	if small {
		gehd2(bk, n, b.ilo, b.ihi, a, tau)
	} else {
		Gehrd(bk, n, b.ilo, b.ihi, a, tau)
	}

	q, rows := vr, 0
	if !right {
		q = vl
	}
	if left || right {
		rows = n
		if small {
			orghrSmall(n, b.ilo, b.ihi, a, tau, q)
		} else {
			block.Copy(q, a, n, n)
			Orghr(bk, n, b.ilo, b.ihi, q, tau)
		}
	}
	clearBelow(a, b.ilo, b.ihi)
	first = Hseqr(bk, rows > 0, n, b.ilo, b.ihi, a, w, rows, q)
	if first == 0 && rows > 0 {
		vectors := block.Dense(work.Take(n*n), n)
		if left {
			if right {
				block.Copy(vl, q, n, n)
			}
			leftVectors(bk, small, n, a, w, vectors)
			multiply(bk, small, blas.Lower, n, vl, vectors)
			for k := 0; k < n; k++ {
				if imag(w[k]) != 0 {
					for i := range n {
						p := vl.Elements(i, k, k+2)
						p[0], p[1] = p[1], p[0]
					}
					k++
				}
			}
			b.gebak(bk, true, vl)
			unitColumns(n, vl, w)
		}
		if right {
			trevc(bk, small, n, a, w, vectors)
			multiply(bk, small, blas.Upper, n, vr, vectors)
			b.gebak(bk, false, vr)
			unitColumns(n, vr, w)
		}
	}
	for i, v := range w {
		im := math.Ldexp(imag(v), exponent)
		if im == 0 && imag(v) != 0 { // the vectors are complex
			im = math.Copysign(math.SmallestNonzeroFloat64, imag(v))
		}
		w[i] = complex(math.Ldexp(real(v), exponent), im)
	}
	return first
}

// leftVectors writes the left eigenvectors of the n×n quasi-triangular t to the lower triangle of x. It
// computes them as right eigenvectors of tᵀ in reverse order; the columns of a pair come out exchanged.
func leftVectors(bk factor.Backend, small bool, n int, t block.Matrix, w []complex128, x block.Matrix) {
	s := block.Dense(make([]float64, n*n), n)
	block.CopyTransposed(s, t, n, n)
	slices.Reverse(s.X)
	back := slices.Clone(w)
	slices.Reverse(back)
	trevc(bk, small, n, s, back, x)
	slices.Reverse(x.X)
}

// multiply overwrites v with v times the triangle ul of x, whose other triangle must be zero.
func multiply(bk factor.Backend, small bool, ul blas.Uplo, n int, v, x block.Matrix) {
	if small {
		timesSmall(n, v, x)
	} else {
		bk.Dtrmm(blas.Right, ul, blas.NoTrans, blas.NonUnit, n, n, 1, x.X, x.Ld, v.X, v.Ld)
	}
}

// unitColumns scales the columns of v, eigenvectors for w, to length 1, and rotates complex ones so
// that the largest component is real.
func unitColumns(n int, v block.Matrix, w []complex128) {
	work := factor.Acquire()
	defer work.Release()
	f := powers(work, n, v, w)
	columns := make([]struct {
		squares, largest float64
		at               int // the row of the largest component of a complex vector
		turn             rotation
	}, n)
	for i := range n {
		row := v.Elements(i, 0, n)
		for k := range row {
			row[k] *= f[k]
			columns[k].squares += float64(row[k] * row[k])
		}
		for k := 0; k < n; k++ {
			if imag(w[k]) != 0 {
				if s := float64(row[k]*row[k]) + float64(row[k+1]*row[k+1]); s > columns[k].largest {
					columns[k].largest, columns[k].at = s, i
				}
				k++
			}
		}
	}
	for k := 0; k < n; k++ {
		c := &columns[k]
		if imag(w[k]) == 0 {
			f[k] = 1 / math.Sqrt(c.squares)
			continue
		}
		f[k] = 1 / math.Sqrt(c.squares+columns[k+1].squares)
		cosine, sine, _ := factor.Lartg(v.X[c.at*v.Ld+k], v.X[c.at*v.Ld+k+1])
		c.turn = rotation{float64(cosine * f[k]), float64(sine * f[k])}
		k++
	}
	for i := range n {
		row := v.Elements(i, 0, n)
		for k := 0; k < n; k++ {
			if imag(w[k]) == 0 {
				row[k] *= f[k]
				continue
			}
			columns[k].turn.right(v, k, i, i+1)
			if columns[k].at == i {
				row[k+1] = 0
			}
			k++
		}
	}
}
