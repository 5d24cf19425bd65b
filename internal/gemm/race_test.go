package gemm

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// envRace makes TestRaceChild do what it names.
const envRace = "BLSKERNEL_TEST_RACE"

// races are pairs of calls at once, on two matrices x and y of order n, and whether they disturb each
// other.
var races = []struct {
	name        string
	first, next func(n int, x, y []float64)
	detected    bool
}{
	{"both write C", productTo(1), productTo(1), true},
	{"one reads what the other writes", productTo(1), productFrom, true},
	{"different columns of C", leftColumns, rightColumns, false},
	{"both read", productTo(1), productTo(2), false},
	{"Dtrsm writes what a product reads", solveIn, productFrom, true},
	{"different triangles", triangleOf(blas.Upper), triangleOf(blas.Lower), true}, // they share the diagonal
	{"Dtrsm reads one triangle, Dsyrk writes the other", solveWith, triangleBeside, false},
}

// productTo computes block number i of y from x.
func productTo(i int) func(n int, x, y []float64) {
	return func(n int, x, y []float64) {
		active.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, x, n, x, n, 0, y[i*n*n:], n)
	}
}

// productFrom reads block 1 of y.
func productFrom(n int, x, y []float64) {
	active.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, y[n*n:], n, x, n, 0, y[2*n*n:], n)
}

func leftColumns(n int, x, y []float64) {
	active.Dgemm(blas.NoTrans, blas.NoTrans, n, n/2, n, 1, x, n, x, n, 1, y, n)
}

func rightColumns(n int, x, y []float64) {
	active.Dgemm(blas.NoTrans, blas.NoTrans, n, n-n/2, n, 1, x, n, x, n, 1, y[n/2:], n)
}

func solveIn(n int, x, y []float64) {
	active.Dtrsm(blas.Left, blas.Upper, blas.NoTrans, blas.Unit, n, n, 1, x, n, y[n*n:], n)
}

func solveWith(n int, x, y []float64) {
	active.Dtrsm(blas.Left, blas.Upper, blas.NoTrans, blas.Unit, n, n, 1, y, n, y[n*n:], n)
}

func triangleOf(ul blas.Uplo) func(n int, x, y []float64) {
	return func(n int, x, y []float64) { active.Dsyrk(ul, blas.NoTrans, n, n, 1, x, n, 0, y, n) }
}

// triangleBeside writes the elements of y below its diagonal.
func triangleBeside(n int, x, y []float64) {
	active.Dsyrk(blas.Lower, blas.NoTrans, n-1, n, 1, x, n, 0, y[n:], n)
}

func TestRaceChild(t *testing.T) {
	name := os.Getenv(envRace)
	if name == "" {
		t.Skip("run by TestRaceDetected")
	}
	setThreads(t, 2)
	for _, n := range []int{20, 150} { // in place, and blocked in one goroutine
		x, y := make([]float64, n*n), make([]float64, 3*n*n)
		for _, r := range races {
			if r.name != name {
				continue
			}
			concurrently(2, func(i int) { []func(n int, x, y []float64){r.first, r.next}[i](n, x, y) })
		}
	}
}

// The race detector reports races of what the kernels read and write, and nothing else.
func TestRaceDetected(t *testing.T) {
	if !raceEnabled {
		t.Skip("the race detector is off")
	}
	for _, r := range races {
		t.Run(r.name, func(t *testing.T) {
			child := exec.Command(os.Args[0], "-test.run=^TestRaceChild$")
			child.Env = append(os.Environ(), envRace+"="+r.name)
			out, err := child.CombinedOutput()
			if detected := strings.Contains(string(out), "DATA RACE"); detected != r.detected || err == nil == r.detected {
				t.Errorf("race reported: %v, want %v; %v\n%s", detected, r.detected, err, out)
			}
		})
	}
}
