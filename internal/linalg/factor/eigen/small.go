package eigen

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"
)

// SmallOrder is the largest order for the plain loops of Geev.
const SmallOrder = 31

// gehd2 is Gehrd with one reflection at a time. (LAPACK: dgehd2.)
func gehd2(bk factor.Backend, n, ilo, ihi int, a block.Matrix, tau []float64) {
	w := factor.Acquire()
	defer w.Release()
	column, sums := w.Take(n), w.Take(n)
	clear(tau)
	for i := ilo; i < ihi-1; i++ {
		v := column[:ihi-i]
		for r := range v {
			v[r] = a.X[(i+1+r)*a.Ld+i]
		}
		var beta float64
		beta, tau[i] = qr.LarfgShort(bk, v[0], v[1:])
		v[0] = 1
		a.X[(i+1)*a.Ld+i] = beta
		for r := 1; r < len(v); r++ {
			a.X[(i+1+r)*a.Ld+i] = v[r]
		}
		for r := range ihi + 1 {
			row := a.X[r*a.Ld+i+1:][:len(v)]
			s := 0.0
			for j, x := range v {
				s += float64(x * row[j])
			}
			s *= tau[i]
			for j, x := range v {
				row[j] -= float64(s * x)
			}
		}
		reflectRows(v, tau[i], a.Sub(i+1, i+1), sums[:n-i-1])
	}
}

// reflectRows computes a = (I - tau v vᵀ) a for len(v) rows and len(sums) columns. sums is a workspace.
func reflectRows(v []float64, tau float64, a block.Matrix, sums []float64) {
	clear(sums)
	for r, x := range v {
		for j, y := range a.X[r*a.Ld:][:len(sums)] {
			sums[j] += float64(x * y)
		}
	}
	for r, x := range v {
		row, t := a.X[r*a.Ld:][:len(sums)], tau*x
		for j, s := range sums {
			row[j] -= float64(t * s)
		}
	}
}

// orghrSmall writes to q the Q that Orghr would compute in a.
func orghrSmall(n, ilo, ihi int, a block.Matrix, tau []float64, q block.Matrix) {
	var column, sums [SmallOrder]float64
	factor.Identity(n, q)
	for i := ihi - 2; i >= ilo; i-- {
		v := column[:ihi-i]
		v[0] = 1
		for r := 1; r < len(v); r++ {
			v[r] = a.X[(i+1+r)*a.Ld+i]
		}
		reflectRows(v, tau[i], q.Sub(i+1, i+1), sums[:len(v)])
	}
}

// byRows is solve row by row: it subtracts the products with the rows below, then solves for the row.
func (u *upper) byRows() {
	for end := u.n; end > 0; {
		from := end - 1
		if from > 0 && u.t.X[from*u.t.Ld+from-1] != 0 {
			from--
		}
		for i := from; i < end; i++ {
			row := u.x.X[i*u.x.Ld:][:u.n]
			for k := end; k < u.n; k++ {
				t, below := u.t.X[i*u.t.Ld+k], u.x.X[k*u.x.Ld:][:u.n]
				for j := k; j < u.n; j++ {
					row[j] -= float64(t * below[j])
				}
			}
		}
		if end-from == 1 {
			u.row(from)
		} else {
			u.rowPair(from)
		}
		end = from
	}
}

func timesSmall(n int, v, x block.Matrix) {
	var sums [SmallOrder]float64
	for i := range n {
		row := v.X[i*v.Ld:][:n]
		clear(sums[:n])
		for k, y := range row {
			for j, z := range x.X[k*x.Ld:][:n] {
				sums[j] += float64(y * z)
			}
		}
		copy(row, sums[:n])
	}
}
