package backend_test

import (
	"blskernel"
	"blskernel/internal/testutil/backends"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"
)

// A conformance is one of gonum's own tests of the float64 BLAS.
type conformance struct {
	routine string
	run     func(*testing.T, blskernel.Backend)
}

// conformances are all of them. The test of Drotg has an option for libraries that treat numbers near
// the ends of the range in another way, as OpenBLAS does.
var conformances = []conformance{
	{"Ddot", func(t *testing.T, b blskernel.Backend) { testblas.DdotTest(t, b) }},
	{"Dnrm2", func(t *testing.T, b blskernel.Backend) { testblas.Dnrm2Test(t, b) }},
	{"Dasum", func(t *testing.T, b blskernel.Backend) { testblas.DasumTest(t, b) }},
	{"Idamax", func(t *testing.T, b blskernel.Backend) { testblas.IdamaxTest(t, b) }},
	{"Dswap", func(t *testing.T, b blskernel.Backend) { testblas.DswapTest(t, b) }},
	{"Dcopy", func(t *testing.T, b blskernel.Backend) { testblas.DcopyTest(t, b) }},
	{"Daxpy", func(t *testing.T, b blskernel.Backend) { testblas.DaxpyTest(t, b) }},
	{"Drotg", func(t *testing.T, b blskernel.Backend) { testblas.DrotgTest(t, b, b.Name() == "openblas") }},
	{"Drotmg", func(t *testing.T, b blskernel.Backend) { testblas.DrotmgTest(t, b) }},
	{"Drot", func(t *testing.T, b blskernel.Backend) { testblas.DrotTest(t, b) }},
	{"Drotm", func(t *testing.T, b blskernel.Backend) { testblas.DrotmTest(t, b) }},
	{"Dscal", func(t *testing.T, b blskernel.Backend) { testblas.DscalTest(t, b) }},
	{"Dgemv", func(t *testing.T, b blskernel.Backend) { testblas.DgemvTest(t, b) }},
	{"Dgbmv", func(t *testing.T, b blskernel.Backend) { testblas.DgbmvTest(t, b) }},
	{"Dtrmv", func(t *testing.T, b blskernel.Backend) { testblas.DtrmvTest(t, b) }},
	{"Dtbmv", func(t *testing.T, b blskernel.Backend) { testblas.DtbmvTest(t, b) }},
	{"Dtpmv", func(t *testing.T, b blskernel.Backend) { testblas.DtpmvTest(t, b) }},
	{"Dtrmv,Dtbmv,Dtpmv", func(t *testing.T, b blskernel.Backend) { testblas.DtxmvTest(t, b) }},
	{"Dtrsv", func(t *testing.T, b blskernel.Backend) { testblas.DtrsvTest(t, b) }},
	{"Dtbsv", func(t *testing.T, b blskernel.Backend) { testblas.DtbsvTest(t, b) }},
	{"Dtpsv", func(t *testing.T, b blskernel.Backend) { testblas.DtpsvTest(t, b) }},
	{"Dsymv", func(t *testing.T, b blskernel.Backend) { testblas.DsymvTest(t, b) }},
	{"Dsbmv", func(t *testing.T, b blskernel.Backend) { testblas.DsbmvTest(t, b) }},
	{"Dspmv", func(t *testing.T, b blskernel.Backend) { testblas.DspmvTest(t, b) }},
	{"Dger", func(t *testing.T, b blskernel.Backend) { testblas.DgerTest(t, b) }},
	{"Dsyr", func(t *testing.T, b blskernel.Backend) { testblas.DsyrTest(t, b) }},
	{"Dspr", func(t *testing.T, b blskernel.Backend) { testblas.DsprTest(t, b) }},
	{"Dsyr2", func(t *testing.T, b blskernel.Backend) { testblas.Dsyr2Test(t, b) }},
	{"Dspr2", func(t *testing.T, b blskernel.Backend) { testblas.Dspr2Test(t, b) }},
	{"Dgemm", func(t *testing.T, b blskernel.Backend) { testblas.TestDgemm(t, b) }},
	{"Dsymm", func(t *testing.T, b blskernel.Backend) { testblas.DsymmTest(t, b) }},
	{"Dsyrk", func(t *testing.T, b blskernel.Backend) { testblas.DsyrkTest(t, b) }},
	{"Dsyr2k", func(t *testing.T, b blskernel.Backend) { testblas.Dsyr2kTest(t, b) }},
	{"Dtrmm", func(t *testing.T, b blskernel.Backend) { testblas.DtrmmTest(t, b) }},
	{"Dtrsm", func(t *testing.T, b blskernel.Backend) { testblas.DtrsmTest(t, b) }},
}

// TestGonum runs gonum's own tests of the float64 BLAS on the pure backend with each kernel that this
// machine can run, and on the other backends.
func TestGonum(t *testing.T) {
	for _, b := range backends.All(t) {
		for _, test := range conformances {
			t.Run(fmt.Sprintf("backend=%s/%s", b.Name(), test.routine), func(t *testing.T) { test.run(t, b) })
		}
	}
}

// Every routine of the interface is in one of gonum's tests.
func TestGonumIsComplete(t *testing.T) {
	var tested []string
	for _, test := range conformances {
		tested = append(tested, strings.Split(test.routine, ",")...)
	}
	of := reflect.TypeFor[blas.Float64]()
	for k := range of.NumMethod() {
		if name := of.Method(k).Name; !slices.Contains(tested, name) {
			t.Errorf("%s is in none of gonum's tests", name)
		}
	}
}
