package backend_test

import (
	"fmt"
	"reflect"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas/testblas"
)

// conformances are gonum's own tests of the float64 BLAS, except DrotgTest, which has an option for
// libraries such as OpenBLAS that treat numbers near the ends of the range differently.
var conformances = []any{
	testblas.DdotTest, testblas.Dnrm2Test, testblas.DasumTest, testblas.IdamaxTest,
	testblas.DswapTest, testblas.DcopyTest, testblas.DaxpyTest, testblas.DrotmgTest,
	testblas.DrotTest, testblas.DrotmTest, testblas.DscalTest, testblas.DgemvTest, testblas.DgbmvTest,
	testblas.DtrmvTest, testblas.DtbmvTest, testblas.DtpmvTest, testblas.DtxmvTest,
	testblas.DtrsvTest, testblas.DtbsvTest, testblas.DtpsvTest, testblas.DsymvTest,
	testblas.DsbmvTest, testblas.DspmvTest, testblas.DgerTest, testblas.DsyrTest, testblas.DsprTest,
	testblas.Dsyr2Test, testblas.Dspr2Test, testblas.TestDgemm, testblas.DsymmTest,
	testblas.DsyrkTest, testblas.Dsyr2kTest, testblas.DtrmmTest, testblas.DtrsmTest,
}

// TestGonum runs gonum's own tests of the float64 BLAS on the pure backend with each kernel that this
// machine can run, and on the other backends.
func TestGonum(t *testing.T) {
	for _, b := range backends.All(t) {
		for _, test := range conformances {
			t.Run(fmt.Sprintf("backend=%s/%s", b.Name(), testutil.RoutineOf(test)), func(t *testing.T) {
				reflect.ValueOf(test).Call([]reflect.Value{reflect.ValueOf(t), reflect.ValueOf(b)})
			})
		}
		t.Run(fmt.Sprintf("backend=%s/Drotg", b.Name()), func(t *testing.T) { testblas.DrotgTest(t, b, b.Name() == "openblas") })
	}
}
