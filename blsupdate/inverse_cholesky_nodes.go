package blsupdate

import (
	"math"

	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// addNodes borders F by p columns. With D = F FᵀAᵀH, C = H - A D and R22 the triangle of a QR
// factorization of [C; sqrt(lambda) D; sqrt(lambda) I],
//
//	F := [F  -D G],   G = R22⁻¹,   W := [W - D W2],   W2 = R22⁻¹z,
//	     [0    G ]                      [W2      ]
//
// where z is Qᵀ[Y; 0; 0] of that factorization. D is corrected once, by F Fᵀ(AᵀC - lambda D), which is
// zero but for rounding: that takes its error from eps κ² to eps κ, as long as κ is below 1e7.
//
// Here each column of H is divided by a power of two to a norm of about 1, so that AᵀH neither overflows nor underflows
// if A does not; that divides the columns of D and R22 by it, and the rows of G and W2 are to be divided at the end.
func (s *inverseCholesky) addNodes(a, h, y *mat.Dense) (done, error) {
	l, p := h.Dims()
	norms := columnNorms(h)
	size, err := s.size.withNodes(norms).safe()
	if err != nil {
		return done{}, err
	}
	const what = "A'A + lambda I with the new nodes"
	now := *s
	if now.noteCondition(); !(now.worst >= leastForNodes) {
		return done{}, &ConditionError{What: what, RCond: now.worst, Instead: []Method{QR}}
	}
	defer s.counter.Leave()
	k, units, scaled := s.k, powers(norms), gonummat.DenseCopyOf(h)
	scaleColumns(scaled, units)
	b := s.newBorder(a, scaled, func(g, d []float64) {
		copy(d, g)
		s.timesF(d, p, false)
		s.timesF(d, p, true)
	})
	if err := b.solve(s.ridge); err != nil {
		return done{}, err
	}

	s.counter.Enter(StepNodesS)
	root := math.Sqrt(s.ridge)
	r, z := mat.NewDense(p, p, nil), mat.NewDense(p, s.c, nil)
	for j, unit := range units {
		r.Set(j, j, root/unit)
	}
	if err := lapack.AppendRows(s.counter, r, z, mat.NewDense(l, p, b.c), gonummat.DenseCopyOf(y)); err != nil {
		return done{}, ErrOverflow
	}
	if s.ridge > 0 {
		rows := mat.NewDense(k, p, nil)
		for i := range k {
			for j := range p {
				rows.Set(i, j, root*b.d[j*k+i])
			}
		}
		if err := lapack.AppendRows(s.counter, r, z, rows, mat.NewDense(k, s.c, nil)); err != nil {
			return done{}, ErrOverflow
		}
	}

	s.counter.Enter(StepWeights)
	w2 := z
	if err := lapack.SolveTriangular(s.counter, w2, r, false); err != nil {
		return done{}, triangleError(what, err)
	}
	w := b.weights(s.w, w2)
	divideRows(w, k, units)

	s.counter.Enter(StepF)
	side := mat.NewDense(p, k, b.d)
	if err := lapack.SolveTriangular(s.counter, side, r, true); err != nil { // R22⁻ᵀDᵀ
		return done{}, triangleError(what, err)
	}
	if err := lapack.InvertTriangle(s.counter, r); err != nil {
		return done{}, triangleError(what, err)
	}
	divideRows(r, 0, units)

	next := *s
	next.k, next.size, next.w, next.gain = k+p, size, w, 1
	next.l = s.borderedL(side.RawMatrix().Data, transposedTriangle(r))
	next.normL, next.mostW = next.frobenius(), largestOf(w.RawMatrix().Data)
	if !(next.normL < math.MaxFloat64/4) || isfinite.First(w.RawMatrix().Data) >= 0 {
		return done{}, ErrOverflow
	}
	next.peak *= s.gain
	if next.noteCondition(); !(next.worst >= leastForNodes) {
		return done{}, &ConditionError{What: what, RCond: next.worst, Instead: []Method{QR}}
	}
	*s = next
	return done{model: inverseCholeskyNodes(Shape{L: l, K: k, P: p, C: s.c}, s.ridge > 0)}, nil
}

// divideRows divides the rows of m from the given one on by units.
func divideRows(m *mat.Dense, from int, units []float64) {
	for i, unit := range units {
		row := m.RawRowView(from + i)
		for j := range row {
			row[j] /= unit
		}
	}
}

// leastForNodes is the least 1/κ, before and after, with which nodes are added: the D of a worse state
// is not saved by one correction.
const leastForNodes = 1e-7

// borderedL returns Fᵀ with p more columns of F, the rows [-E Gᵀ].
func (s *inverseCholesky) borderedL(e []float64, g *mat.Dense) *mat.Dense {
	k, p := s.k, rowsOf(g)
	wide := k + p
	l := mat.NewDense(wide, wide, nil)
	dst, old, corner := l.RawMatrix().Data, s.l.RawMatrix().Data, g.RawMatrix().Data
	for i := range k {
		for j, v := range old[i*k : i*k+i+1] {
			dst[i*wide+j] = s.gain * v
		}
	}
	for i := range p {
		row := dst[(k+i)*wide:]
		for j, v := range e[i*k : (i+1)*k] {
			row[j] = -v
		}
		copy(row[k:], corner[i*p:i*p+i+1])
	}
	return l
}
