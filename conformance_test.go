package blskernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
)

// A conformance is one of gonum's own tests of the float64 BLAS.
type conformance struct {
	routine string
	run     func(*testing.T, Backend)
}

// accelerated are those of the routines that the packages above this one call, which every backend has to pass.
var accelerated = []conformance{
	{"Dgemm", func(t *testing.T, b Backend) { testblas.TestDgemm(t, b) }},
	{"Dsymm", func(t *testing.T, b Backend) { testblas.DsymmTest(t, b) }},
	{"Dsyrk", func(t *testing.T, b Backend) { testblas.DsyrkTest(t, b) }},
	{"Dsyr2k", func(t *testing.T, b Backend) { testblas.Dsyr2kTest(t, b) }},
	{"Dtrmm", func(t *testing.T, b Backend) { testblas.DtrmmTest(t, b) }},
	{"Dtrsm", func(t *testing.T, b Backend) { testblas.DtrsmTest(t, b) }},
	{"Dgemv", func(t *testing.T, b Backend) { testblas.DgemvTest(t, b) }},
	{"Dger", func(t *testing.T, b Backend) { testblas.DgerTest(t, b) }},
	{"Dtrsv", func(t *testing.T, b Backend) { testblas.DtrsvTest(t, b) }},
	{"Dtpsv", func(t *testing.T, b Backend) { testblas.DtpsvTest(t, b) }},
	{"Dspmv", func(t *testing.T, b Backend) { testblas.DspmvTest(t, b) }},
}

// others are the rest of Levels 1 and 2, which the pure backend has to pass on every kernel. OpenBLAS is
// not held to them: its Drotg treats extreme numbers in another way.
var others = []conformance{
	{"Ddot", func(t *testing.T, b Backend) { testblas.DdotTest(t, b) }},
	{"Dnrm2", func(t *testing.T, b Backend) { testblas.Dnrm2Test(t, b) }},
	{"Dasum", func(t *testing.T, b Backend) { testblas.DasumTest(t, b) }},
	{"Idamax", func(t *testing.T, b Backend) { testblas.IdamaxTest(t, b) }},
	{"Dswap", func(t *testing.T, b Backend) { testblas.DswapTest(t, b) }},
	{"Dcopy", func(t *testing.T, b Backend) { testblas.DcopyTest(t, b) }},
	{"Daxpy", func(t *testing.T, b Backend) { testblas.DaxpyTest(t, b) }},
	{"Drotg", func(t *testing.T, b Backend) { testblas.DrotgTest(t, b, false) }},
	{"Drotmg", func(t *testing.T, b Backend) { testblas.DrotmgTest(t, b) }},
	{"Drot", func(t *testing.T, b Backend) { testblas.DrotTest(t, b) }},
	{"Drotm", func(t *testing.T, b Backend) { testblas.DrotmTest(t, b) }},
	{"Dscal", func(t *testing.T, b Backend) { testblas.DscalTest(t, b) }},
	{"Dgbmv", func(t *testing.T, b Backend) { testblas.DgbmvTest(t, b) }},
	{"Dsbmv", func(t *testing.T, b Backend) { testblas.DsbmvTest(t, b) }},
	{"Dsymv", func(t *testing.T, b Backend) { testblas.DsymvTest(t, b) }},
	{"Dspr", func(t *testing.T, b Backend) { testblas.DsprTest(t, b) }},
	{"Dspr2", func(t *testing.T, b Backend) { testblas.Dspr2Test(t, b) }},
	{"Dsyr", func(t *testing.T, b Backend) { testblas.DsyrTest(t, b) }},
	{"Dsyr2", func(t *testing.T, b Backend) { testblas.Dsyr2Test(t, b) }},
	{"Dtbmv", func(t *testing.T, b Backend) { testblas.DtbmvTest(t, b) }},
	{"Dtbsv", func(t *testing.T, b Backend) { testblas.DtbsvTest(t, b) }},
	{"Dtpmv", func(t *testing.T, b Backend) { testblas.DtpmvTest(t, b) }},
	{"Dtrmv", func(t *testing.T, b Backend) { testblas.DtrmvTest(t, b) }},
	{"Dtxmv", func(t *testing.T, b Backend) { testblas.DtxmvTest(t, b) }},
}

// TestGonum runs gonum's own tests of the float64 BLAS: all of them on the pure backend with each kernel
// that this machine can run, those of the accelerated routines on the other backends.
func TestGonum(t *testing.T) {
	run := func(name string, tests []conformance) {
		b, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			t.Run(fmt.Sprintf("backend=%s/%s", name, test.routine), func(t *testing.T) { test.run(t, b) })
		}
	}
	for _, name := range kernel.Names() {
		run("pure/"+name, slices.Concat(accelerated, others))
	}
	for _, name := range Names() {
		if name != "pure" { // one of those above
			run(name, accelerated)
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

// A leading dimension or an increment of which a multiple overflows is too large for any slice.
func TestArgumentsOverflow(t *testing.T) {
	b, err := Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 9)
	p, f := Packed(b), Fused(b)
	for _, huge := range []int{math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt/2 + 1<<20, math.MaxInt} {
		for _, test := range []struct {
			want string
			call func()
		}{
			{shortA, func() { b.Dgemm('N', 'N', 3, 3, 3, 1, x, huge, x, 3, 0, x, 3) }},
			{shortB, func() { b.Dgemm('N', 'N', 3, 3, 3, 1, x, 3, x, huge, 0, x, 3) }},
			{shortC, func() { b.Dgemm('N', 'N', 3, 3, 3, 1, x, 3, x, 3, 0, x, huge) }},
			{shortC, func() { b.Dsyrk('U', 'N', 3, 3, 1, x, 3, 0, x, huge) }},
			{shortB, func() { b.Dtrsm('L', 'U', 'N', 'N', 3, 3, 1, x, 3, x, huge) }},
			{shortC, func() { p.Dspmm('L', 3, 3, 1, x, x, 3, 0, x, huge) }},
			{shortC, func() { f.DgemmTanh('N', 'N', 3, 3, 3, 1, x, 3, x, 3, x, x, huge) }},
			{shortA, func() { b.Dgemv('N', 3, 3, 1, x, huge, x, 1, 0, x, 1) }},
			{shortA, func() { b.Dger(3, 3, 1, x, 1, x, 1, x, huge) }},
			{"blas: insufficient length of x", func() { b.Dscal(3, 2, x, huge) }},
			{"blas: insufficient length of y", func() { b.Daxpy(3, 2, x, 1, x, -huge) }},
		} {
			if got := panicOf(test.call); got != test.want {
				t.Errorf("with %d: panics with %v, want %q", huge, got, test.want)
			}
		}
	}
}

func panicOf(f func()) (text any) {
	defer func() { text = recover() }()
	f()
	return nil
}
