package speed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/testutil"
)

// eachOpponent calls f with each opponent of each operation.
func eachOpponent(t *testing.T, f func(t *testing.T, c Case, opponent string)) {
	eachCase(t, func(t *testing.T, c Case) {
		for _, name := range c.Opponents {
			t.Run("opponent="+name, func(t *testing.T) { f(t, c, name) })
		}
	})
}

// libraries returns a LAPACK made of gonum's, and OpenBLAS's if there is one.
func libraries() []blskernel.Backend {
	all := []blskernel.Backend{newFakeLAPACK()}
	if b, err := Library(nil); err == nil {
		all = append(all, b)
	}
	return all
}

// TestAgainst checks the opponents by turns with the operation, with which they share their operands.
func TestAgainst(t *testing.T) {
	eachOpponent(t, func(t *testing.T, c Case, opponent string) {
		for _, s := range shapes {
			p := c.Prepare(s, 3)
			q := p.Against(opponent)
			for _, library := range libraries() {
				for range 2 {
					for _, err := range []error{q.Check(library), p.Check(library)} {
						if err != nil {
							t.Errorf("%v: %v", s, err)
						}
					}
				}
			}
			if q.Most() != 1 || q.Flops() != p.Flops() || q.Err() != nil {
				t.Errorf("%v: most %d, flops %v of %v, %v", s, q.Most(), q.Flops(), p.Flops(), q.Err())
			}
		}
	})
}

// TestAgainstSpoilt spoils one element after another of what LAPACK returns, of the triangle that is
// the result where it is one: by NaN, by infinity, and by 10⁻⁶, which changes the product with A by as
// much of a column of A or, for two symmetric elements, of two. The tolerances are about 10⁻¹¹.
func TestAgainstSpoilt(t *testing.T) {
	const n = 9
	eachOpponent(t, func(t *testing.T, c Case, opponent string) {
		library := newFakeLAPACK()
		q := c.Prepare(Square(n), 5).Against(opponent)
		testutil.NoError(t, q.Check(library))
		elements := n * n
		if opponent == "dsptrf+dsptri" {
			elements = n * (n + 1) / 2
		}
		triangle := opponent == "dpotrf+dpotri" || opponent == "dsytrf+dsytri2"
		for i := range elements {
			if triangle && i/n > i%n {
				continue
			}
			for _, by := range []float64{1e-6, -1e-6, math.NaN(), math.Inf(1)} {
				library.spoil = func(a []float64) { a[i] += by }
				err := q.Check(library)
				var wrong *WrongError
				if !errors.As(err, &wrong) || wrong.Backend != "fake/"+opponent || wrong.Case.Op != c.Op || wrong.Shape != Square(n) {
					t.Errorf("element %d is wrong by %v: %v", i, by, err)
				}
			}
		}
	})
}

// TestAgainstFailing has a LAPACK that fails, and none.
func TestAgainstFailing(t *testing.T) {
	eachOpponent(t, func(t *testing.T, c Case, opponent string) {
		for _, tc := range []struct {
			b    blskernel.Backend
			want string
		}{
			{&fakeLAPACK{fake: &fake{name: "fake"}, info: 7}, fmt.Sprintf("speed: fake/%s fails at %s 4: info of the factorization is 7", opponent, c.Op)},
			{&fake{name: "gonum"}, fmt.Sprintf("speed: gonum/%s fails at %s 4: there is no LAPACK with it", opponent, c.Op)},
		} {
			q := c.Prepare(Square(4), 1).Against(opponent)
			if err := q.Check(tc.b); err == nil || err.Error() != tc.want {
				t.Errorf("%v; want %s", err, tc.want)
			}
			if q.Err() == nil {
				t.Error("Err() is nil")
			}
		}
	})
}

func TestAgainstUnknown(t *testing.T) {
	for _, op := range []string{"cholesky-inverse", "dgemm"} {
		p := Cases(op)[0].Prepare(Square(3), 1)
		testutil.MustPanic(t, "speed: the case has no such opponent", func() { p.Against("dgetrs") })
	}
}

func TestLibrary(t *testing.T) {
	own := newFakeLAPACK()
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

// TestRunOpponents looks at the timings of opponents: which there are, in which order, and by whom.
func TestRunOpponents(t *testing.T) {
	library := newFakeLAPACK()
	a := &fake{name: "a"}
	c := &Comparison{
		Backends: []blskernel.Backend{a, library}, Threads: []int{1}, Rounds: 2, MinTime: time.Microsecond,
		Opponents: []string{"dgetrs", "dsptrf+dsptri", "dgetrf+dgetri"},
	}
	for _, op := range []string{"ddot", "cholesky-inverse", "ldlt-inverse", "lu-inverse", "lu-solve"} {
		c.Jobs = append(c.Jobs, job(op, "", Shape{5, 6, 7}))
	}
	want := map[string]string{
		"ddot": "a fake", "cholesky-inverse": "a fake", "ldlt-inverse": "a fake fake/dsptrf+dsptri",
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
			// A matrix at least, and for something as small workspaces as large.
			if inverse := strings.HasSuffix(r.Op, "-inverse"); inverse != (b.Memory >= 1) || !inverse && b.Memory != 0 {
				t.Errorf("%s: memory %v of %s", r.Op, b.Memory, b.Backend)
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
	// A failure after the check ends it as well.
	library.after, library.info = 3, 7
	err = c.Run(context.Background(), func(r Result) error { return nil }, nil)
	if err == nil || err.Error() != "speed: fake/dsptrf+dsptri fails at ldlt-inverse 5x6x7: info of the factorization is 7" {
		t.Errorf("a LAPACK that fails later on: %v", err)
	}
}

// TestMemory has opponents of which the storage is known, in multiples of a packed matrix.
func TestMemory(t *testing.T) {
	p := Cases("dgemm")[0].Prepare(Square(3), 1)
	if memory, err := p.check(&fake{name: "gonum"}, p.Bind(&fake{name: "gonum"})); memory != 0 || err != nil {
		t.Errorf("dgemm: memory %v, %v", memory, err)
	}
	openblas, err := Library(nil)
	if err != nil {
		t.Skip(err)
	}
	const n = 101
	packed := 8.0 * n * (n + 1) / 2
	for name, want := range map[string]float64{
		"dsptrf+dsptri":  packed + 12*n,
		"dsytrf+dsytri2": 8*n*n + 4*n + 8*67*(n+65),
	} {
		q := Cases("ldlt-inverse")[0].Prepare(Square(n), 1).Against(name)
		memory, err := q.check(openblas, q.Bind(openblas))
		// Other goroutines, of the test itself, may allocate a little meanwhile.
		if err != nil || !(memory >= want/packed && memory <= 1.1*want/packed) {
			t.Errorf("%s: memory %v, %v; want %v", name, memory, err, want/packed)
		}
	}
}

// TestNoLibrary has an opponent without a library: an error of Run before anything is measured.
func TestNoLibrary(t *testing.T) {
	_, missing := Library(nil)
	if missing == nil {
		t.Skip("there is a library")
	}
	c := Comparison{
		Backends: []blskernel.Backend{&fake{name: "a"}}, Jobs: []Job{job("lu-solve", "", Square(3))},
		Opponents: []string{"dgetrs"}, Threads: []int{1},
	}
	if err := c.Run(context.Background(), nil, nil); err == nil || err.Error() != missing.Error() {
		t.Errorf("%v; want %v", err, missing)
	}
}
