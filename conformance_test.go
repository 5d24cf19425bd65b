package blskernel

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
)

// TestGonum runs gonum's own tests of the float64 BLAS on every usable backend.
func TestGonum(t *testing.T) {
	for _, name := range Names() {
		b, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			routine string
			run     func(*testing.T)
		}{
			{"Dgemm", func(t *testing.T) { testblas.TestDgemm(t, b) }},
			{"Dsymm", func(t *testing.T) { testblas.DsymmTest(t, b) }},
			{"Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, b) }},
			{"Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, b) }},
			{"Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, b) }},
			{"Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, b) }},
			{"Dgemv", func(t *testing.T) { testblas.DgemvTest(t, b) }},
			{"Dger", func(t *testing.T) { testblas.DgerTest(t, b) }},
			{"Dtrsv", func(t *testing.T) { testblas.DtrsvTest(t, b) }},
			{"Dtpsv", func(t *testing.T) { testblas.DtpsvTest(t, b) }},
			{"Dspmv", func(t *testing.T) { testblas.DspmvTest(t, b) }},
		} {
			t.Run(fmt.Sprintf("backend=%s/%s", name, test.routine), test.run)
		}
	}
}

// TestArguments gives the pure backend and gonum's implementation the same bad arguments and compares
// the panics.
func TestArguments(t *testing.T) {
	reference := gonum.Implementation{}
	ours, err := Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 12) // 3×4 at most
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans, 'x'} {
		for _, ul := range []blas.Uplo{blas.Upper, 'x'} {
			for _, side := range []blas.Side{blas.Left, blas.Right, 'x'} {
				for _, d := range []blas.Diag{blas.NonUnit, 'x'} {
					for _, m := range []int{-1, 0, 2, 3} {
						for _, n := range []int{-1, 0, 2, 4} {
							for _, k := range []int{-1, 0, 3} {
								for _, ld := range [][3]int{{4, 4, 4}, {1, 4, 4}, {4, 1, 4}, {4, 4, 1}, {0, 0, 0}} {
									for _, length := range [][3]int{{12, 12, 12}, {5, 12, 12}, {12, 5, 12}, {12, 12, 5}, {0, 0, 0}} {
										a, b, c := x[:length[0]], x[:length[1]], x[:length[2]]
										for routine, call := range map[string]func(blas.Float64){
											"Dgemm":  func(f blas.Float64) { f.Dgemm(tA, tA, m, n, k, 1, a, ld[0], b, ld[1], 1, c, ld[2]) },
											"Dsymm":  func(f blas.Float64) { f.Dsymm(side, ul, m, n, 1, a, ld[0], b, ld[1], 1, c, ld[2]) },
											"Dsyrk":  func(f blas.Float64) { f.Dsyrk(ul, tA, n, k, 1, a, ld[0], 1, c, ld[2]) },
											"Dsyr2k": func(f blas.Float64) { f.Dsyr2k(ul, tA, n, k, 1, a, ld[0], b, ld[1], 1, c, ld[2]) },
											"Dtrmm":  func(f blas.Float64) { f.Dtrmm(side, ul, tA, d, m, n, 1, a, ld[0], b, ld[1]) },
											"Dtrsm":  func(f blas.Float64) { f.Dtrsm(side, ul, tA, d, m, n, 1, a, ld[0], b, ld[1]) },
										} {
											want, got := panicOf(func() { call(reference) }), panicOf(func() { call(ours) })
											if want != got {
												t.Fatalf("%s side=%c ul=%c t=%c diag=%c m=%d n=%d k=%d ld=%v lengths=%v: panics with %v, gonum with %v",
													routine, side, ul, tA, d, m, n, k, ld, length, got, want)
											}
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

func panicOf(f func()) (text any) {
	defer func() { text = recover() }()
	f()
	return nil
}
