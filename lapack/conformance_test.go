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
}

// replaced are those of the routines that are ours.
var replaced = []conformance{
	{"Dpotrf", func(t *testing.T, impl Implementation) { testlapack.DpotrfTest(t, impl) }},
	{"Dpotri", func(t *testing.T, impl Implementation) { testlapack.DpotriTest(t, impl) }},
	{"Dpotrs", func(t *testing.T, impl Implementation) { testlapack.DpotrsTest(t, impl) }},
	{"Dgeev", func(t *testing.T, impl Implementation) { testlapack.DgeevTest(t, impl) }},
	{"Dgetrf", func(t *testing.T, impl Implementation) { testlapack.DgetrfTest(t, impl) }},
	{"Dgetri", func(t *testing.T, impl Implementation) { testlapack.DgetriTest(t, impl) }},
	{"Dgetrs", func(t *testing.T, impl Implementation) { testlapack.DgetrsTest(t, impl) }},
	{"Dtrtri", func(t *testing.T, impl Implementation) { testlapack.DtrtriTest(t, impl) }},
	{"Dtrtrs", func(t *testing.T, impl Implementation) { testlapack.DtrtrsTest(t, impl) }},
	{"Dorgqr", func(t *testing.T, impl Implementation) { testlapack.DorgqrTest(t, impl) }},
	{"Dgeqrf", func(t *testing.T, impl Implementation) { testlapack.DgeqrfTest(t, impl) }},
	{"Dgelqf", func(t *testing.T, impl Implementation) { testlapack.DgelqfTest(t, impl) }},
	{"Dorglq", func(t *testing.T, impl Implementation) { testlapack.DorglqTest(t, impl) }},
	{"Dormqr", func(t *testing.T, impl Implementation) { testlapack.DormqrTest(t, impl) }},
	{"Dormlq", func(t *testing.T, impl Implementation) { testlapack.DormlqTest(t, impl) }},
	{"Dgecon", func(t *testing.T, impl Implementation) { testlapack.DgeconTest(t, impl) }},
	{"Dpocon", func(t *testing.T, impl Implementation) { testlapack.DpoconTest(t, impl) }},
	{"Dtrcon", func(t *testing.T, impl Implementation) { testlapack.DtrconTest(t, impl) }},
	{"Dgels", func(t *testing.T, impl Implementation) { testlapack.DgelsTest(t, impl) }},
	{"Dgesvd", func(t *testing.T, impl Implementation) { testlapack.DgesvdTest(t, impl, 1e-13) }},
	{"Dsyev", func(t *testing.T, impl Implementation) { testlapack.DsyevTest(t, impl) }},
}

// inherited are those of gonum's own routines of the interface, which run on our BLAS.
var inherited = []conformance{
	{"Dgeqp3", func(t *testing.T, impl Implementation) { testlapack.Dgeqp3Test(t, impl) }},
	{"Dggsvd3", func(t *testing.T, impl Implementation) { testlapack.Dggsvd3Test(t, impl) }},
	{"Dlantr", func(t *testing.T, impl Implementation) { testlapack.DlantrTest(t, impl) }},
	{"Dlange", func(t *testing.T, impl Implementation) { testlapack.DlangeTest(t, impl) }},
	{"Dlansy", func(t *testing.T, impl Implementation) { testlapack.DlansyTest(t, impl) }},
	{"Dlapmr", func(t *testing.T, impl Implementation) { testlapack.DlapmrTest(t, impl) }},
	{"Dlapmt", func(t *testing.T, impl Implementation) { testlapack.DlapmtTest(t, impl) }},
	{"Dpbcon", func(t *testing.T, impl Implementation) { testlapack.DpbconTest(t, impl) }},
	{"Dpbtrf", func(t *testing.T, impl Implementation) { testlapack.DpbtrfTest(t, impl) }},
	{"Dpbtrs", func(t *testing.T, impl Implementation) { testlapack.DpbtrsTest(t, impl) }},
	{"Dpstrf", func(t *testing.T, impl Implementation) { testlapack.DpstrfTest(t, impl) }},
	{"Dtbtrs", func(t *testing.T, impl Implementation) { testlapack.DtbtrsTest(t, impl) }},
}

// TestImplementation runs gonum's own tests of every routine that is ours, on every kernel.
func TestImplementation(t *testing.T) {
	// The suites make their matrices and their checks with blas64.
	useBLAS(t, fastBLAS(t))
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, c := range replaced {
			c.start(t, bk)
		}
	})
}

// start runs a test as a part of t.
func (c conformance) start(t *testing.T, bk blskernel.Backend) {
	t.Run(c.routine, func(t *testing.T) {
		if slices.Contains(slow, c.routine) {
			testutil.Slow(t)
		}
		if testing.Short() && slices.Contains(longer, c.routine) {
			t.Skip("not in short tests")
		}
		c.run(t, Implementation{Backend: bk})
	})
}

// slow are those of the routines whose tests take four fifths of the time of all, and run in long
// tests only; longer take as much of what is left, and minutes in emulation, and do not run in short
// tests.
var (
	slow   = []string{"Dgeev", "Dgesvd"}
	longer = []string{"Dgels", "Dgeqp3", "Dormlq", "Dormqr"}
)

// TestImplementationInherited runs gonum's own tests of all other routines of its interface, with a
// backend under blas64: the selected one, and in long tests each backend and each kernel.
func TestImplementationInherited(t *testing.T) {
	inherit := func(t *testing.T, bk blskernel.Backend) {
		useBLAS(t, bk)
		for _, c := range inherited {
			c.start(t, bk)
		}
	}
	if testutil.Long() {
		backends.OnKernels(t, inherit)
	} else {
		inherit(t, blskernel.Default())
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
