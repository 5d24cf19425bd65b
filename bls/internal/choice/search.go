package choice

import (
	"context"
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/io/interrupt"
	"blskernel/mat"
)

// Shrinks returns the values of Shrink to try.
func Shrinks() []float64 { return []float64{0.3, 0.8, 1.5, 3, 6} }

// Near returns shrink, an element of shrinks, and its neighbors.
func Near(shrinks []float64, shrink float64) []float64 {
	at := slices.Index(shrinks, shrink)
	return shrinks[max(0, at-1):min(len(shrinks), at+2)]
}

// firstShrink is the shrink at which a search without a rival starts.
const firstShrink = 1.5

// reach is the largest factor by which another shrink is assumed to lower a loss: a search stops if its
// first loss exceeds the loss of its rival by a larger factor.
const reach = 1.25

// ridges are the values of lambda to try, in units of Search.Unit.
var ridges = [...]float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2}

// NumRidges is the number of values of lambda in the grid.
const NumRidges = len(ridges)

// coarse is the step, in ridges, with which Coarse searches.
const coarse = 2

// Maps are feature maps that were fitted to the rows of a choice: one for all training sets, or one for
// each if they depend on the labels.
type Maps interface {
	Maps() int // the number of maps
	// Nodes returns the nodes of all rows under map i with the given shrink, in new storage.
	Nodes(ctx context.Context, i int, shrink float64) (*mat.Dense, error)
}

// A Search looks for the shrink and the ridge with the smallest loss.
type Search struct {
	Folds   *Folds
	Y       *mat.Dense // the targets of the rows of Folds; for classes, they follow the constant target
	Log     bool       // Y holds logarithms, and losses are measured on the predictions of a Smearing
	Backend blskernel.Backend
	Unit    float64 // the unit of the ridges
	Given   float64 // the ridge, raised to Lowest if it is smaller, or 0 to choose one
	Lowest  float64 // the smallest ridge for which Gram is accurate
	QR      bool    // whether ridges below Lowest may be tried with QR
}

// first returns the index of the first ridge not below Lowest, but at most NumRidges-coarse.
func (s *Search) first() int {
	first := 0
	for first < NumRidges-coarse && float64(s.Unit*ridges[first]) < s.Lowest {
		first++
	}
	return first
}

// try computes the result of e for max(s.Given, s.Lowest) or, if s.Given is 0, for ridge i. It returns
// that result if it is better than best, which may be nil, and best otherwise.
func (s *Search) try(ctx context.Context, e *Equations, i int, best *Result) (*Result, error) {
	lambda := max(s.Given, s.Lowest)
	if s.Given == 0 {
		lambda = float64(s.Unit * ridges[i])
	}
	r := e.At(lambda)
	r.ridge = i
	if r.Better(best) {
		best = r
	}
	return best, interrupt.Check(ctx)
}

// Coarse returns the best result among the shrinks and every second ridge. It starts with the shrink of
// rival, or with firstShrink if rival is nil. It continues in the direction in which the loss falls,
// since the loss has a single minimum apart from noise. It stops at once if the first loss is far above
// the loss of rival.
func (s *Search) Coarse(
	ctx context.Context, maps Maps, shrinks []float64, rival *Result,
) (*Result, error) {
	begin, within := slices.Index(shrinks, firstShrink), math.Inf(1)
	if rival != nil {
		begin, within = slices.Index(shrinks, rival.Shrink), float64(reach*rival.Loss)
	}
	at := max(0, begin)
	best, err := s.alongRidges(ctx, maps, shrinks[at])
	if err != nil || best.Loss > within {
		return best, err
	}
	for _, step := range []int{1, -1} {
		moved := false
		for i := at + step; i >= 0 && i < len(shrinks); i += step {
			r, err := s.alongRidges(ctx, maps, shrinks[i])
			if err != nil {
				return nil, err
			}
			if !r.Better(best) {
				break
			}
			best, moved = r, true
		}
		if moved {
			break
		}
	}
	return best, nil
}

// alongRidges returns the best result with the given shrink over every second ridge.
func (s *Search) alongRidges(ctx context.Context, maps Maps, shrink float64) (*Result, error) {
	e, err := s.Equations(ctx, maps, shrink)
	if err != nil {
		return nil, err
	}
	var best *Result
	for i := NumRidges - coarse; i >= s.first(); i -= coarse {
		if best, err = s.try(ctx, e, i, best); err != nil {
			return nil, err
		}
		if s.Given != 0 {
			break
		}
	}
	return best, nil
}

// Fine returns the best result for the shrink of near. Unless the ridge is given, it tries the ridges
// around the ridge of near, up to two beyond the best so far. If the first ridge is best and s.QR is
// true, it also tries QR. If maps is nil, it uses the maps of near.
func (s *Search) Fine(ctx context.Context, maps Maps, near *Result) (*Result, error) {
	e, best := near.equations, near
	if maps != nil {
		var err error
		if e, err = s.Equations(ctx, maps, near.Shrink); err != nil {
			return nil, err
		}
		if best, err = s.try(ctx, e, near.ridge, nil); err != nil {
			return nil, err
		}
	}
	if s.Given != 0 {
		return best, nil
	}
	from, to := near.ridge, near.ridge
	for {
		i := -1
		switch {
		case to < NumRidges-1 && to-best.ridge < coarse:
			to++
			i = to
		case from > s.first() && best.ridge-from < coarse:
			from--
			i = from
		case s.QR && best.ridge == s.first():
			return e.byQR(ctx, best)
		default:
			return best, nil
		}
		var err error
		if best, err = s.try(ctx, e, i, best); err != nil {
			return nil, err
		}
	}
}
