package eigensym

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/qr"

	"gonum.org/v1/gonum/blas"
)

// SmallOrder is the largest order for Small.
const SmallOrder = 31

// Small is Syev for orders up to SmallOrder. It uses plain loops, since for these orders a backend call
// takes longer than its arithmetic, and finds all vectors with the QL algorithm. It rounds differently
// from Syev. (LAPACK: dsyev, dsytd2, dorg2l.)
func Small(bk factor.Backend, ul blas.Uplo, wanted bool, n int, a block.Matrix, w []float64) bool {
	if n == 2 {
		return two(ul, wanted, a, w)
	}
	work := factor.Acquire()
	defer work.Release()
	all := work.Take(n * (n + 2))
	z, e, tau := block.Dense(all[:n*n], n), all[n*n:n*(n+1)], all[n*(n+1):]
	exponent, ok := loadSmall(ul, n, a, z)
	if !ok {
		return false
	}
	e = e[:n-1]
	reduce(bk, n, z.X, w, e, tau)
	if wanted {
		accumulate(n, z.X, tau)
		q := solver{Backend: bk, vectors: true, z: z, columns: n, left: sweeps * n}
		if !diagonalize(w, e, q.block) {
			return false
		}
		for i := range w {
			least := i
			for k := i + 1; k < n; k++ {
				if w[k] < w[least] {
					least = k
				}
			}
			if least != i {
				w[i], w[least] = w[least], w[i]
				factor.Exchange(z.Elements(i, 0, n), z.Elements(least, 0, n))
			}
		}
		block.CopyTransposed(a, z, n, n)
	} else {
		if !Sterf(w, e) {
			return false
		}
		slices.Sort(w)
	}
	if exponent != 0 {
		multiply(math.Ldexp(1, exponent), w)
	}
	return true
}

// two is Small for n = 2, where even acquiring a workspace would double the time.
func two(ul blas.Uplo, wanted bool, a block.Matrix, w []float64) bool {
	p, e, q := a.X[0], a.X[1], a.X[a.Ld+1]
	if ul == blas.Lower {
		e = a.X[a.Ld]
	}
	largest := max(math.Abs(p), math.Abs(e), math.Abs(q))
	if !factor.IsFinite(largest) {
		return false
	}
	exponent := factor.Exponent(400, largest)
	if exponent != 0 {
		p, e, q = math.Ldexp(p, -exponent), math.Ldexp(e, -exponent), math.Ldexp(q, -exponent)
	}
	c, s := 1.0, 0.0
	if e != 0 {
		less := shift(p, e, q)
		p, q = p-less, q+less
		c = 1 / detmath.Hypot(1, less/e)
		s = less / e * c
	}
	if p > q {
		p, q, c, s = q, p, s, -c
	}
	if wanted { // the vectors are (c, -s) and (s, c)
		a.X[0], a.X[1], a.X[a.Ld], a.X[a.Ld+1] = c, s, -s, c
	}
	if exponent != 0 {
		p, q = math.Ldexp(p, exponent), math.Ldexp(q, exponent)
	}
	w[0], w[1] = p, q
	return true
}

// loadSmall is load without the zeros below the diagonal. It returns false if an element is not finite.
func loadSmall(ul blas.Uplo, n int, a, z block.Matrix) (exponent int, ok bool) {
	down, across := a.Ld, 1
	if ul == blas.Lower {
		down, across = across, down
	}
	largest, sum := 0.0, 0.0
	for i := range n {
		row := z.X[i*n:][:n]
		for j := i; j < n; j++ {
			v := a.X[i*down+j*across]
			row[j] = v
			largest = max(largest, math.Abs(v))
			sum += v - v // 0, or NaN
		}
	}
	if exponent = factor.Exponent(400, largest); exponent != 0 && sum == 0 {
		by := math.Ldexp(1, -exponent)
		for i := range n {
			multiply(by, z.X[i*n+i:(i+1)*n])
		}
	}
	return exponent, sum == 0
}

// reduce is Sytrd with plain loops, for a contiguous z.
func reduce(bk factor.Backend, n int, z, d, e, tau []float64) {
	var buffer [SmallOrder]float64
	for r := range n - 1 {
		d[r] = z[r*n+r]
		v := z[r*n+r+1 : (r+1)*n]
		e[r], tau[r] = qr.LarfgShort(bk, v[0], v[1:])
		v[0] = 1
		t := tau[r]
		if t == 0 {
			continue
		}
		w := buffer[:len(v)] // first A v, then the w of panel.reflect
		clear(w)
		dot := 0.0
		for i, vi := range v {
			at := (r + 1 + i) * (n + 1)
			row, above := z[at+1:at+len(v)-i], v[i+1:]
			own := w[i+1:]
			s := w[i] + float64(z[at]*vi)
			for j, x := range row {
				s += float64(x * above[j])
				own[j] += float64(x * vi)
			}
			w[i] = s
			dot += float64(s * vi)
		}
		half := -float64(0.5*t*t) * dot
		for i, vi := range v {
			w[i] = float64(t*w[i]) + float64(half*vi)
		}
		for i, vi := range v {
			at := (r + 1 + i) * (n + 1)
			wi, vs, ws := w[i], v[i:], w[i:]
			for j := range z[at : at+len(vs)] {
				z[at+j] -= float64(vi*ws[j]) + float64(wi*vs[j])
			}
		}
	}
	d[n-1] = z[n*n-1]
}

// accumulate overwrites z, which holds the reflections from reduce, with Qᵀ.
func accumulate(n int, z, tau []float64) {
	z[n*n-1] = 1
	for r := n - 2; r >= 0; r-- {
		v := z[r*n+r+1 : (r+1)*n]
		for i := r + 1; i < n; i++ {
			row := z[i*n+r+1:][:len(v)]
			s := 0.0
			for j, x := range v {
				s += float64(x * row[j])
			}
			s *= tau[r]
			for j, x := range v {
				row[j] -= float64(s * x)
			}
			z[i*n+r] = 0
		}
		clear(v)
		z[r*n+r] = 1
	}
}
