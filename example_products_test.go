package blskernel_test

import (
	"fmt"
	"math"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// AᵀA of a tall A into packed storage: half the flops and half the memory of a Dgemm. A backend that has no such product
// of its own gets one that is made of its Dgemm.
func ExamplePacked() {
	a := []float64{ // 3×2
		1, 2,
		3, 4,
		5, 6,
	}
	gram := make([]float64, 3) // the upper triangle of a 2×2 matrix, row after row
	products := blskernel.Packed(blskernel.Default())
	products.Dsprk(blas.Trans, 2, 3, 1, a, 2, 0, gram)
	fmt.Println(gram)
	// Output: [35 44 56]
}

// tanh(X W + 1 bᵀ), a layer of a network, in one pass over the result.
func ExampleFused() {
	x := []float64{1, -1} // 1×2
	w := []float64{       // 2×2
		0.5, 1,
		0.5, 2,
	}
	bias := []float64{0, 1}
	layer := make([]float64, 2)
	products := blskernel.Fused(nil)
	products.DgemmTanh(blas.NoTrans, blas.NoTrans, 1, 2, 2, 1, x, 2, w, 2, bias, layer, 2)
	fmt.Println(layer[0] == 0, layer[1] == math.Tanh(0))
	// Output: true true
}

// The LAPACK that comes with OpenBLAS, where it is used, on columns; package lapack is there everywhere.
func ExampleColumnMajor() {
	a := []float64{4, 2, 2, 5} // symmetric, so the same by rows and by columns
	l, ok := blskernel.ColumnMajor(blskernel.Default())
	if ok {
		if info := l.Dpotrf(blas.Lower, 2, a, 2); info != 0 {
			fmt.Println("not positive definite")
		}
	} else {
		lapack.Implementation{}.Dpotrf(blas.Upper, 2, a, 2)
	}
	fmt.Println("U =", a[0], a[1], a[3])
	// Output: U = 2 1 2
}

// A journal is a backend that writes down which routines of LAPACK it is asked for.
type journal struct {
	blskernel.Backend
	entries *[]blskernel.Routine
}

// Begin notes the routine, and lets its products run without a journal.
func (j journal) Begin(r blskernel.Routine) blskernel.Backend {
	*j.entries = append(*j.entries, r)
	return blskernel.Begin(j.Backend, r)
}

// A backend that embeds another one and keeps account: a factorization is one entry, whatever it is made of.
func ExampleRecorder() {
	var entries []blskernel.Routine
	recorder := journal{blskernel.Default(), &entries}

	c := lapack.Cholesky{Backend: recorder}
	if err := c.Factorize(mat.NewSymPacked(2, []float64{4, 2, 5})); err != nil {
		fmt.Println(err)
	}
	var x mat.Dense
	if err := c.SolveTo(&x, mat.NewDense(2, 1, []float64{1, 2})); err != nil {
		fmt.Println(err)
	}
	for _, r := range entries {
		fmt.Println(r.Name, r.N, r.NRHS)
	}
	// Output:
	// Dpptrf 2 0
	// Dpptrs 2 1
}
