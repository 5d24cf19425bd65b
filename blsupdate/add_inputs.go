package blsupdate

import (
	"errors"
	"math"
	"time"

	"blskernel/mat"
)

// An addition is one update on its way: what is computed from the state before the state is touched.
type addition struct {
	u  *pseudoinverse
	q  int
	ax []float64 // Ax, q×k
	ya []float64 // Ya, q×c

	kept  int            // rows of D that are kept
	d     []float64      // those rows, kept×q
	dbar  []float64      // Dbarᵀ = DᵀA⁺ᵀ, q×k
	inner *mat.SymPacked // DᵀD, q×q: at once in Original, when it is needed in Improved
	ct    []float64      // Cᵀ = Ax - DᵀA, q×k, where it is computed
	bt    []float64      // Bᵀ, q×k
}

func (u *pseudoinverse) AddInputs(ax, ya *mat.Dense) error {
	began := time.Now()
	u.counter.Reset()
	if err := checkPair("Ax", ax, u.k, "Ya", ya, u.c); err != nil {
		return err
	}
	q, _ := ax.Dims()
	parts, err := u.add(compact(ax), compact(ya), q)
	if err != nil {
		return err
	}
	u.report = Report{Samples: u.p.count, Added: q, Start: u.report.Start}
	var models [][]StepFlops
	for _, p := range parts {
		if !p.shape.Split {
			u.report.RankC += p.shape.RankC
			u.report.Form = max(u.report.Form, p.form)
		}
		models = append(models, Model(u.method, p.form, p.shape))
	}
	u.account(merge(models), began)
	return nil
}

// A part is what was done about a batch, or a part of it.
type part struct {
	form  Form // of B; Auto where C is not zero
	shape Shape
}

// add brings the state up to date with q rows and returns what was done. On an error the state is what it
// was. It takes over ax and changes ya.
func (u *pseudoinverse) add(ax, ya []float64, q int) ([]part, error) {
	s := &addition{u: u, q: q, ax: ax, ya: ya}
	shape := Shape{L: u.p.count, K: u.k, Q: q, C: u.c, CheckC: u.computesC()}
	s.kept = u.opt.keptRows(shape.L, q)
	form := u.form(q)

	s.project()
	c, err := s.outsidePart()
	if err != nil {
		return nil, err
	}
	shape.RankC = c.rank
	switch {
	case 0 < c.rank && c.rank < q:
		// First the rows that complete the row space, then those that lie in it.
		shape.Split = true
		return u.addParts(s, s.leadingRows(c.rank), part{form, shape})
	case c.rank == q:
		form = Auto
		s.beyond(c)
	case form == Large:
		err = s.large()
		var inaccurate *ConditionError
		if u.opt.Form == Auto && errors.As(err, &inaccurate) {
			// Half of the batch, and half of that, until Auto takes Small.
			shape.Split, shape.LargeTried = true, true
			return u.addParts(s, firstHalf(q), part{form, shape})
		}
	default:
		size := s.innerNorm()
		if !(size <= math.MaxFloat64) {
			return nil, ErrOverflow
		}
		if size > splitNorm && q > 1 {
			shape.Split = true
			return u.addParts(s, firstHalf(q), part{form, shape})
		}
		shape.Refined = size > refineNorm
		err = s.small(shape.Refined)
	}
	if err != nil {
		return nil, err
	}
	w, err := s.weights()
	if err != nil {
		return nil, err
	}
	if err := s.checkOverflow(); err != nil {
		return nil, err
	}
	s.commit(w, shape.RankC)
	shape.Again = shape.L - s.kept
	return []part{{form, shape}}, nil
}
