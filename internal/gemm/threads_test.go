package gemm

import (
	"blskernel/internal/kernel"
	"blskernel/internal/testutil"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas"
)

func TestSetThreads(t *testing.T) {
	setThreads(t, 5)
	if got := Threads(); got != 5 {
		t.Errorf("Threads() = %d after SetThreads(5)", got)
	}
	SetThreads(0)
	if got, want := Threads(), runtime.GOMAXPROCS(0); got != want {
		t.Errorf("Threads() = %d after SetThreads(0), want GOMAXPROCS = %d", got, want)
	}
	defer func() {
		if r := recover(); r != "gemm: negative number of threads" {
			t.Errorf("SetThreads(-1) panicked with %v", r)
		}
	}()
	SetThreads(-1)
}

// square is the order of products in these tests, enough for threads and for several tasks each.
const square = 160

func squares() (a, b, c []float64) {
	rnd := rand.New(rand.NewPCG(9, 1))
	a, b, c = make([]float64, square*square), make([]float64, square*square), make([]float64, square*square)
	for i := range a {
		a[i], b[i] = value(rnd), value(rnd)
	}
	return a, b, c
}

func multiplySquares(e *Engine, a, b, c []float64) {
	e.Dgemm(blas.NoTrans, blas.NoTrans, square, square, square, 1, a, square, b, square, 0, c, square)
}

// A panic in any goroutine of a product is raised in the caller's, once all have ended, and the next
// product is right.
func TestPanicReachesCaller(t *testing.T) {
	setThreads(t, 3)
	before := runtime.NumGoroutine()
	a, b, c := squares()
	multiplySquares(active, a, b, c)

	for _, last := range []int64{1, 2, 15} { // panels, whoever computes them
		broken := *active
		var panels atomic.Int64
		broken.kernel.Gemm = func(int, int, int, float64, *float64, int, int, kernel.Form, *float64, int, int, kernel.Store, *float64, int) {
			if panels.Add(1) >= last {
				panic("broken kernel")
			}
		}
		func() {
			defer func() {
				if r := recover(); r != "broken kernel" {
					t.Errorf("panel %d: recovered %v", last, r)
				}
			}()
			multiplySquares(&broken, a, b, make([]float64, len(c)))
			t.Errorf("panel %d: no panic", last)
		}()
	}
	testutil.WaitGoroutines(t, before)
	again := make([]float64, len(c))
	multiplySquares(active, a, b, again)
	if !identical(again, c) {
		t.Error("other bits after the panics than before")
	}
}

// Calls from many goroutines at once do not disturb each other.
func TestConcurrentCalls(t *testing.T) {
	setThreads(t, 2)
	a, b, want := squares()
	multiplySquares(active, a, b, want)
	var calls sync.WaitGroup
	for range 8 {
		calls.Add(1)
		go func() {
			defer calls.Done()
			c := make([]float64, len(want))
			for range 3 {
				multiplySquares(active, a, b, c)
				if !identical(c, want) {
					t.Error("other bits than alone")
				}
			}
		}()
	}
	calls.Wait()
}
