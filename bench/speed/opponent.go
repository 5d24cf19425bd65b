package speed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"blskernel"
	"blskernel/internal/backend"
)

// An Opponent is something else that computes what a case computes, with which a comparison can compare
// the backends: routines of a Fortran LAPACK, which have a storage of their own, or another operation
// of this project on the first backend. See Case.Opponents.
type Opponent struct {
	// Name is that of the routines or of the operation, such as "dpotrf+dpotri". Among the timings
	// of a Result it stands behind the name of its backend: "openblas/dpotrf+dpotri".
	Name string
	// LAPACK tells that it is of backend.ColumnMajor; see Library for its backend.
	LAPACK bool
}

// opponents has those of each operation.
var opponents = map[string][]Opponent{
	"cholesky-inverse": {{"dpotrf+dpotri", true}},
	"ldlt-inverse":     {{"dsptrf+dsptri", true}, {"dsytrf+dsytri2", true}, {"cholesky-inverse", false}},
	"lu-inverse":       {{"dgetrf+dgetri", true}},
	"lu-solve":         {{"dgetrs", true}},
}

// Opponents returns what the case can be compared with beside backends:
//
//	cholesky-inverse  dpotrf+dpotri     on full storage
//	ldlt-inverse      dsptrf+dsptri     on the same packed storage
//	                  dsytrf+dsytri2    on full storage
//	                  cholesky-inverse  on the same packed storage, of A + n·I
//	lu-inverse        dgetrf+dgetri     of Aᵀ, which is A by columns
//	lu-solve          dgetrs            of AᵀX = B, with Aᵀ, X and B by columns
//
// and nothing for all others.
func (c Case) Opponents() []Opponent { return slices.Clone(opponents[c.Op]) }

// among returns the opponents of the case that are among the given names, in the order of the names.
func (c Case) among(names []string) []Opponent {
	var found []Opponent
	for _, name := range names {
		for _, o := range opponents[c.Op] {
			if o.Name == name {
				found = append(found, o)
			}
		}
	}
	return found
}

// Library returns the backend of which the LAPACK is taken for opponents: the first of the given ones
// that has a backend.ColumnMajor, else openblas. The error says why there is none.
func Library(backends []blskernel.Backend) (blskernel.Backend, error) {
	for _, b := range backends {
		if _, ok := backend.ColumnMajor(b); ok {
			return b, nil
		}
	}
	b, err := blskernel.Lookup("openblas")
	if err != nil {
		return nil, err
	}
	if _, ok := backend.ColumnMajor(b); !ok {
		return nil, fmt.Errorf("speed: backend %q has no LAPACK: %s", b.Name(), cmp.Or(backend.MissingLAPACK(b), "it brings none along"))
	}
	return b, nil
}

// Against returns the problem that the opponent of the given name has instead of this one: to be run on
// Library's backend where it is of LAPACK. It shares operands with p, so that only one of them can be
// checked or timed at a time, each from its Reset on. It panics if the case has no such opponent.
func (p *Problem) Against(opponent string) *Problem {
	for _, o := range p.Case.Opponents() {
		if o.Name == opponent {
			q := p.against(opponent)
			q.Case, q.Shape, q.opponent = p.Case, p.Shape, opponent
			q.t = p.t
			q.want = q.expected(q.t)
			return q
		}
	}
	panic("speed: the case has no such opponent")
}

// workspace returns pivots and numbers for the calls of LAPACK.
func (p *Problem) workspace(pivots, numbers int) ([]int32, []float64) {
	p.prepared += 4*pivots + 8*numbers
	return make([]int32, pivots), make([]float64, numbers)
}

// runLAPACK returns a call of LAPACK's routines on a backend, each of which returns its info, and lets
// p fail with the first that is not 0.
func (p *Problem) runLAPACK(b blskernel.Backend, routines func(l backend.ColumnMajorLAPACK) (name string, info int)) func() {
	l, ok := backend.ColumnMajor(b)
	return func() {
		if !ok {
			p.fail(errors.New("there is no LAPACK with it"))
			return
		}
		if name, info := routines(l); info != 0 {
			p.fail(fmt.Errorf("info of %s is %d", name, info))
		}
	}
}
