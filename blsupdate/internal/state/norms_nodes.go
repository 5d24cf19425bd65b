package state

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// WithNodes returns the norms with more columns of A, of l rows, with the given norms and errors. It
// adds the errors of one change of the state, and of sums over the rows of the new columns and Y.
func (s Norms) WithNodes(l int, norms, errs []float64) Norms {
	t := s.clone()
	t.A, t.ErrA, t.ErrR = append(t.A, norms...), append(t.ErrA, errs...), append(t.ErrR, errs...)
	t.Err(Unit(len(norms), len(t.A)))
	sums := t
	sums.A, sums.Ridge = slices.Concat(make([]float64, len(s.A)), norms), 0
	sums.Err(Unit(l, len(t.A)))
	t.Drift = sums.Drift
	return t
}

// ErrColumns adds errs to the errors of the last columns of A, which WithNodes has added.
func (s *Norms) ErrColumns(errs []float64) {
	from := len(s.A) - len(errs)
	dense.Add(s.ErrA[from:], 1, errs)
	if !s.Triangle {
		dense.Add(s.ErrR[from:], 1, errs)
		return
	}
	for j, v := range errs { // scaled for products with the errors of WithNodes in the other columns
		s.ErrR[from+j] = Capped(detmath.Hypot(s.ErrR[from+j], v/math.Sqrt(Unit(len(errs), len(s.A)))))
	}
}

// ErrKept adds to a Triangle the errors that the old columns of A, with the old weights w, leave in Y.
// The old columns have errors E, and the new columns, computed from them, E D. So the errors E w =
// E (W1 + D W2) remain, even if the new weights W1 of the old columns are zero.
func (s *Norms) ErrKept(w *mat.Dense) {
	for i := range dense.Rows(w) {
		for t, v := range w.RawRowView(i) {
			s.ErrY[t] = Capped(s.ErrY[t] + float64(s.ErrA[i]*math.Abs(v)))
			s.addGain(t, float64(s.ErrR[i]*math.Abs(v)))
		}
	}
}

// ErrTargets adds share times the norm of each target to Gain. For a Triangle it adds this to ErrY
// instead, and to ErrR, Gain and Drift the errors of a change whose relative error is share.
func (s *Norms) ErrTargets(share float64) {
	if s.Triangle {
		s.grow(s.ErrY, share, s.Y)
		s.errRest(share)
		return
	}
	for t, v := range s.Y {
		s.addGain(t, float64(share*v))
	}
}

// ErrNodes adds the errors of the parts of Y that new nodes explain. The columns C = H - A D of the new
// nodes have errors errs in the column space of A, which multiply Y itself, not only its residuals.
func (s *Norms) ErrNodes(reach Reach, lengths, errs []float64) {
	all := make([]float64, len(lengths))
	copy(all[len(lengths)-len(errs):], errs)
	s.ErrTargets(reach.Spread(lengths, all))
}

// Explained subtracts from the residuals the parts of Y that new nodes explain. norms are the norms of
// these parts, and unit is their relative error.
func (s Norms) Explained(norms []float64, unit float64) {
	for j, v := range norms {
		s.Rest[j] = min(s.Rest[j], detmath.Hypot(Leg(s.Rest[j], v), math.Sqrt(unit)*s.Y[j]))
	}
}

// Refit sets Rest to after, and moves what removed rows left there to Gain, unless W may be too wrong.
// In a Triangle, whose Gain bounds other errors, it moves them to ErrY.
func (s Norms) Refit(o Norms, reach Reach, lambda float64, w *mat.Dense, before, after []float64) {
	o = o.clone() // which converts the errors of an older encoding
	lengths := o.Lengths(lambda)
	_, spread, misfit := o.misfit(reach, lengths)
	for t, v := range after {
		gone := Leg(o.Rest[t], before[t])
		if !(2*LeastErrors*misfit(t, gonummat.Col(nil, t, w)) <= v) { // then RSS is not known
			v = detmath.Hypot(v, gone)
		} else if left := float64(spread * gone); s.Triangle {
			s.ErrY[t] = Capped(s.ErrY[t] + left)
		} else if !s.Squared {
			s.addGain(t, left)
		}
		s.Rest[t] = Capped(detmath.Hypot(v, math.Sqrt(Unit(0, len(s.A)))*s.Y[t])) // with rounding errors
	}
}
