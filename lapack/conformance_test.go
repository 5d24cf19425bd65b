package lapack

import (
	"reflect"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// A conformance is one of gonum's own tests of LAPACK.
type conformance struct {
	routine string
	run     func(t *testing.T, impl Implementation)
	slow    bool // two take four fifths of the time of all, and run in long tests only
}

// replaced are those of the routines that are ours.
var replaced = []conformance{
	{routine: "Dpotrf", run: func(t *testing.T, impl Implementation) { testlapack.DpotrfTest(t, impl) }},
	{routine: "Dpotri", run: func(t *testing.T, impl Implementation) { testlapack.DpotriTest(t, impl) }},
	{routine: "Dpotrs", run: func(t *testing.T, impl Implementation) { testlapack.DpotrsTest(t, impl) }},
	{routine: "Dgeev", run: func(t *testing.T, impl Implementation) { testlapack.DgeevTest(t, impl) }, slow: true},
	{routine: "Dgetrf", run: func(t *testing.T, impl Implementation) { testlapack.DgetrfTest(t, impl) }},
	{routine: "Dgetri", run: func(t *testing.T, impl Implementation) { testlapack.DgetriTest(t, impl) }},
	{routine: "Dgetrs", run: func(t *testing.T, impl Implementation) { testlapack.DgetrsTest(t, impl) }},
	{routine: "Dtrtri", run: func(t *testing.T, impl Implementation) { testlapack.DtrtriTest(t, impl) }},
	{routine: "Dtrtrs", run: func(t *testing.T, impl Implementation) { testlapack.DtrtrsTest(t, impl) }},
	{routine: "Dorgqr", run: func(t *testing.T, impl Implementation) { testlapack.DorgqrTest(t, impl) }},
	{routine: "Dgeqrf", run: func(t *testing.T, impl Implementation) { testlapack.DgeqrfTest(t, impl) }},
	{routine: "Dgelqf", run: func(t *testing.T, impl Implementation) { testlapack.DgelqfTest(t, impl) }},
	{routine: "Dorglq", run: func(t *testing.T, impl Implementation) { testlapack.DorglqTest(t, impl) }},
	{routine: "Dormqr", run: func(t *testing.T, impl Implementation) {
		testutil.NotEmulated(t, "minutes")
		testlapack.DormqrTest(t, impl)
	}},
	{routine: "Dormlq", run: func(t *testing.T, impl Implementation) {
		testutil.NotEmulated(t, "minutes")
		testlapack.DormlqTest(t, impl)
	}},
	{routine: "Dgecon", run: func(t *testing.T, impl Implementation) { testlapack.DgeconTest(t, impl) }},
	{routine: "Dpocon", run: func(t *testing.T, impl Implementation) { testlapack.DpoconTest(t, impl) }},
	{routine: "Dtrcon", run: func(t *testing.T, impl Implementation) { testlapack.DtrconTest(t, impl) }},
	{routine: "Dgels", run: func(t *testing.T, impl Implementation) {
		testutil.NotEmulated(t, "minutes")
		testlapack.DgelsTest(t, impl)
	}},
	{routine: "Dgesvd", run: func(t *testing.T, impl Implementation) { testlapack.DgesvdTest(t, impl, 1e-13) }, slow: true},
	{routine: "Dsyev", run: func(t *testing.T, impl Implementation) { testlapack.DsyevTest(t, impl) }},
}

// inherited are those of gonum's own routines of the interface, which run on our BLAS.
var inherited = []conformance{
	{routine: "Dgeqp3", run: func(t *testing.T, impl Implementation) {
		testutil.NotEmulated(t, "minutes")
		testlapack.Dgeqp3Test(t, impl)
	}},
	{routine: "Dggsvd3", run: func(t *testing.T, impl Implementation) { testlapack.Dggsvd3Test(t, impl) }},
	{routine: "Dlantr", run: func(t *testing.T, impl Implementation) { testlapack.DlantrTest(t, impl) }},
	{routine: "Dlange", run: func(t *testing.T, impl Implementation) { testlapack.DlangeTest(t, impl) }},
	{routine: "Dlansy", run: func(t *testing.T, impl Implementation) { testlapack.DlansyTest(t, impl) }},
	{routine: "Dlapmr", run: func(t *testing.T, impl Implementation) { testlapack.DlapmrTest(t, impl) }},
	{routine: "Dlapmt", run: func(t *testing.T, impl Implementation) { testlapack.DlapmtTest(t, impl) }},
	{routine: "Dpbcon", run: func(t *testing.T, impl Implementation) { testlapack.DpbconTest(t, impl) }},
	{routine: "Dpbtrf", run: func(t *testing.T, impl Implementation) { testlapack.DpbtrfTest(t, impl) }},
	{routine: "Dpbtrs", run: func(t *testing.T, impl Implementation) { testlapack.DpbtrsTest(t, impl) }},
	{routine: "Dpstrf", run: func(t *testing.T, impl Implementation) { testlapack.DpstrfTest(t, impl) }},
	{routine: "Dtbtrs", run: func(t *testing.T, impl Implementation) { testlapack.DtbtrsTest(t, impl) }},
}

// TestImplementation runs gonum's own tests of every routine that is ours, and TestImplementationInherited
// those of all other routines of its interface, with the selected backend under blas64.
func TestImplementation(t *testing.T) {
	// The suites make their matrices and their checks with blas64.
	useBLAS(t, fastBLAS(t))
	backends.On(t, func(t *testing.T, bk blskernel.Backend) { conforms(t, bk, replaced) })
}

func TestImplementationInherited(t *testing.T) {
	useBLAS(t, blskernel.Default())
	conforms(t, blskernel.Default(), inherited)
}

func conforms(t *testing.T, bk blskernel.Backend, all []conformance) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	for _, c := range all {
		t.Run(c.routine, func(t *testing.T) {
			if c.slow {
				testutil.Slow(t)
			}
			c.run(t, Implementation{Backend: bk})
		})
	}
}

// Every routine of gonum's interface is in one of its tests here.
func TestImplementationIsComplete(t *testing.T) {
	of := reflect.TypeFor[gonumlapack.Float64]()
	for k := range of.NumMethod() {
		name := of.Method(k).Name
		if !slices.ContainsFunc(slices.Concat(replaced, inherited), func(c conformance) bool { return c.routine == name }) {
			t.Errorf("%s is in none of gonum's tests", name)
		}
	}
}
