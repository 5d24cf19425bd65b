package blsupdate

import (
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// addNodes appends AᵀH and HᵀH to G and HᵀY to T.
func (s *gram) addNodes(a, h, y *mat.Dense) (done, error) {
	l, p := h.Dims()
	size, err := s.size.withNodes(columnNorms(h)).safe()
	if err != nil {
		return done{}, err
	}
	ra, rh, ry := a.RawMatrix(), h.RawMatrix(), y.RawMatrix()
	wide := s.k + p
	t := mat.NewDense(wide, s.c, nil)
	t.Slice(0, s.k, 0, s.c).(*mat.Dense).Copy(s.t)
	side, corner := make([]float64, s.k*p), mat.NewSymPacked(p, nil)

	s.counter.Enter(StepBorder)
	s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, p, l, 1, ra.Data, ra.Stride, rh.Data, rh.Stride, 0, side, p)
	s.counter.Dsprk(blas.Trans, p, l, 1, rh.Data, rh.Stride, 0, corner.RawSymPacked().Data)
	s.counter.Enter(StepT)
	s.counter.Dgemm(blas.Trans, blas.NoTrans, p, s.c, l, 1, rh.Data, rh.Stride, ry.Data, ry.Stride, 0, t.RawMatrix().Data[s.k*s.c:], s.c)
	s.counter.Leave()

	data := make([]float64, 0, wide*(wide+1)/2)
	old := s.g.RawSymPacked().Data
	for i := range s.k {
		data = append(append(data, old[:s.k-i]...), side[i*p:(i+1)*p]...)
		old = old[s.k-i:]
	}
	data = append(data, corner.RawSymPacked().Data...)

	d := done{model: gramNodes(Shape{L: l, K: s.k, P: p, C: s.c})}
	s.g, s.t, s.k, s.size = mat.NewSymPacked(wide, data), t, wide, size
	s.changed()
	return d, nil
}
