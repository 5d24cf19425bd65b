package speed

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// TestAgainst alternates between the operation and its opponents, which share its operands. The
// diagonals of inverses agree, although their storage may differ. Without a LAPACK, the opponent fails.
func TestAgainst(t *testing.T) {
	eachCase(t, func(t *testing.T, c Case) {
		for _, opponent := range c.Opponents {
			var library blskernel.Backend = &fake{name: "fake"}
			if opponent != Gonum {
				q := c.Prepare(4, 1).Against(opponent)
				want := fmt.Sprintf("speed: fake/%s failed in %s of order 4: the backend has no LAPACK", opponent, c.Op)
				if err := q.check(library, q.Bind(library)); err == nil || err.Error() != want || q.Err() == nil {
					t.Errorf("%v, %v; want %s", err, q.Err(), want)
				}
				library = newLibrary(t)
			}
			for _, n := range orders {
				p := c.Prepare(n, 3)
				q := p.Against(opponent)
				b := &fake{name: "gonum"}
				for range 2 {
					testutil.NoError(t, p.check(b, p.Bind(b)))
					testutil.NoError(t, q.check(library, q.Bind(library)))
				}
				for i := 0; i < n && strings.HasSuffix(c.Op, "inverse"); i++ {
					own, other := diagonal(p.out, n, i), diagonal(q.out, n, i)
					if !(math.Abs(own-other) <= 1e-6*(1+math.Abs(own))) {
						t.Errorf("%s, %d: element %d of the diagonal is %v and %v", opponent, n, i, own, other)
					}
				}
				if q.maxBatch != p.maxBatch || q.Flops() != p.Flops() || q.Err() != nil {
					t.Errorf("%s, %d: most %d, flops %v of %v, %v", opponent, n, q.maxBatch, q.Flops(), p.Flops(), q.Err())
				}
			}
		}
		testutil.MustPanic(t, "speed: the case has no such opponent", func() { c.Prepare(3, 1).Against("dposv") })
	})
}

// diagonal returns element i of the diagonal of a matrix of order n, in full storage or packed by rows.
func diagonal(a []float64, n, i int) float64 {
	if len(a) == n*n {
		return a[i*n+i]
	}
	return a[i*(2*n-i+1)/2]
}

func TestLibrary(t *testing.T) {
	own := &library{fake: &fake{name: "own"}}
	if b, err := Library([]blskernel.Backend{&fake{name: "a"}, own}); b != own || err != nil {
		t.Errorf("%v, %v; want the one that has a LAPACK", b, err)
	}
	openblas, err := blskernel.Lookup("openblas")
	b, missing := Library([]blskernel.Backend{&fake{name: "a"}})
	if err != nil {
		if missing == nil || missing.Error() != err.Error() {
			t.Errorf("%v, %v; want %v", b, missing, err)
		}
		return
	}
	if _, ok := backend.ColumnMajor(openblas); ok != (missing == nil) || ok && b != openblas {
		t.Errorf("%v, %v; openblas has a LAPACK: %v", b, missing, ok)
	}
}

// TestRunOpponents checks which opponents are timed, in which order, and on which library.
func TestRunOpponents(t *testing.T) {
	library := newLibrary(t)
	a := &fake{name: "a"}
	c := &Comparison{
		Backends: []blskernel.Backend{a, library}, Threads: []int{1}, Rounds: 2, MinTime: time.Microsecond,
		Opponents: true,
	}
	for _, op := range []string{"ddot", "cholesky-inverse", "ldlt-inverse", "lu-inverse", "lu-solve"} {
		c.Jobs = append(c.Jobs, job(op, "", 6))
	}
	want := map[string]string{
		"ddot": "a fake", "cholesky-inverse": "a fake fake/dpotrf+dpotri", "ldlt-inverse": "a fake fake/dsptrf+dsptri fake/dsytrf+dsytri2",
		"lu-inverse": "a fake fake/dgetrf+dgetri", "lu-solve": "a fake fake/dgetrs",
	}
	n := 0
	err := c.Run(context.Background(), func(r Result) error {
		n++
		var names []string
		for i, b := range r.Backends {
			names = append(names, b.Backend)
			if !(b.Seconds > 0 && b.GFLOPS > 0 && b.OfPeak > 0) || (b.Ratio > 0) != (i > 0) {
				t.Errorf("%s: %+v", r.Op, b)
			}
		}
		if got := strings.Join(names, " "); got != want[r.Op] {
			t.Errorf("%s: timings of %s; want %s", r.Op, got, want[r.Op])
		}
		return nil
	}, nil)
	if err != nil || n != len(c.Jobs) {
		t.Errorf("%d results, %v", n, err)
	}
	// A failure after the check also ends it.
	library.until = 3
	err = c.Run(context.Background(), func(r Result) error { return nil }, nil)
	if err == nil || err.Error() != "speed: fake/dpotrf+dpotri failed in cholesky-inverse of order 6: LAPACK returned info = 7" {
		t.Errorf("a LAPACK that fails later on: %v", err)
	}
}

// TestGonum times gonum's own routines as an opponent, without a library. gonum's mat first runs on the
// backend, and on gonum's routines afterwards.
func TestGonum(t *testing.T) {
	a := &fake{name: "a"}
	c := &Comparison{
		Backends: []blskernel.Backend{a}, Threads: []int{1}, Rounds: 1, MinTime: time.Microsecond, Opponents: true,
		Jobs: []Job{job("mat.Mul", "", 6)},
	}
	testutil.NoError(t, c.Run(context.Background(), func(r Result) error {
		if len(r.Backends) != 2 || r.Backends[1].Backend != Gonum || !(r.Backends[1].Ratio > 0) || a.calls == 0 {
			t.Errorf("%+v after %d products on the backend", r, a.calls)
		}
		return nil
	}, nil))
	before := a.calls
	var m mat.Dense
	m.Mul(mat.NewDense(2, 2, make([]float64, 4)), mat.NewDense(2, 2, make([]float64, 4)))
	if _, own := blas64.Implementation().(gonum.Implementation); a.calls != before || !own {
		t.Errorf("gonum's mat still runs on %T", blas64.Implementation())
	}
}
