// Package testutil has helpers for the tests of several packages, such as seeded matrices and panics as
// values.
//
// A test that cannot run everywhere, or every time, says so in its own body by a call of Slow,
// NotUnderRace, NotEmulated, NeedsBackend or SkipOrFail. No list of test names elsewhere selects tests.
//
// Some subpackages run a test on every backend (backends), put operands next to inaccessible pages
// (guard), draw choices from a fuzzer's data (fuzz), and run NumPy (numpytest). Only tests import them.
package testutil

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// EnvRequire names the environment variable that lists what this machine must have, separated by
// commas, for example "openblas,avx2,numpy". Without one of these a test fails instead of skipping.
const EnvRequire = "BLSKERNEL_REQUIRE"

// Required reports whether EnvRequire lists name.
func Required(name string) bool {
	return slices.Contains(strings.Split(os.Getenv(EnvRequire), ","), name)
}

// SkipOrFail skips the test because name is missing, or fails it if EnvRequire lists name.
func SkipOrFail(t testing.TB, name string, why any) {
	t.Helper()
	if Required(name) {
		t.Fatalf("%s requires %s: %v", EnvRequire, name, why)
	}
	t.Skip(why)
}

// Rand returns a generator of random numbers that depends on seed alone.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// Random returns a rows×cols matrix of standard normal numbers.
func Random(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, r.NormFloat64())
		}
	}
	return m
}

// RandomView returns a rows×cols view of a larger matrix, so that its stride exceeds its width. The
// elements are uniform on [-1, 1).
func RandomView(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows+2, cols+3, nil)
	for i := range rows + 2 {
		for j := range cols + 3 {
			m.Set(i, j, 2*float64(r.Float64())-1)
		}
	}
	return m.Slice(1, rows+1, 2, cols+2).(*mat.Dense)
}

// RandomRank returns an l×k matrix of the given rank: the product of an l×rank and a rank×k Random.
func RandomRank(r *rand.Rand, l, k, rank int) *mat.Dense {
	if rank == 0 {
		return mat.NewDense(l, k, nil)
	}
	var m mat.Dense
	m.Mul(Random(r, l, rank), Random(r, rank, k))
	return &m
}

// Orthonormal returns an l×k matrix with orthonormal columns, l >= k.
func Orthonormal(r *rand.Rand, l, k int) *mat.Dense {
	var qr mat.QR
	qr.Factorize(Random(r, l, k))
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, l, 0, k))
}

// WithCondition returns an l×k matrix, l >= k, whose singular values fall geometrically from 1 to
// 1/kappa.
func WithCondition(r *rand.Rand, l, k int, kappa float64) *mat.Dense {
	u, v := Orthonormal(r, l, k), Orthonormal(r, k, k)
	for j := range k {
		s := 1.0
		if k > 1 {
			s = math.Pow(kappa, -float64(j)/float64(k-1))
		}
		for i := range l {
			u.Set(i, j, u.At(i, j)*s)
		}
	}
	var a mat.Dense
	a.Mul(u, v.T())
	return &a
}

// PanicValue calls f and returns the value it panics with, or nil.
func PanicValue(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// MustPanic fails the test unless f panics with want.
func MustPanic(t testing.TB, want any, f func()) {
	t.Helper()
	if got := PanicValue(f); got != want {
		t.Errorf("panic %v, want %v", got, want)
	}
}

// Goroutines returns the number of goroutines without the workers of the pure backend, which wait for
// the next product as long as the process runs.
func Goroutines() int { return runtime.NumGoroutine() - workers() }

// workers returns the number of workers of the pure backend.
func workers() int { return strings.Count(stacks(), "workers.(*Team).worker(") }

func stacks() string {
	for size := 1 << 16; ; size *= 2 {
		all := make([]byte, size)
		if n := runtime.Stack(all, true); n < size {
			return string(all[:n])
		}
	}
}

// WaitGoroutines fails the test unless Goroutines() <= before within a minute. A goroutine may still
// be ending when the call that it served returns.
func WaitGoroutines(t testing.TB, before int) {
	t.Helper()
	Eventually(t, fmt.Sprintf("at most %d goroutines", before), func() bool { return Goroutines() <= before })
}

// WaitWorkers fails the test unless the pure backend has the given number of workers within a minute.
func WaitWorkers(t testing.TB, want int) {
	t.Helper()
	Eventually(t, fmt.Sprintf("%d workers", want), func() bool { return workers() == want })
}

// RoutineOf returns the routine of one of gonum's tests: Ddot for DdotTest, Dgemm for TestDgemm.
func RoutineOf(test any) string {
	name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
	return strings.TrimPrefix(strings.TrimSuffix(name[strings.LastIndex(name, ".")+1:], "Test"), "Test")
}

// NoError fails and ends the test if err is not nil.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Contains fails the test for each of wants that is not in text.
func Contains(t testing.TB, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Distance returns ‖got - want‖/‖want‖ in Frobenius norms, or ‖got‖ for a want of zeros.
func Distance(got, want mat.Matrix) float64 {
	var diff mat.Dense
	diff.Sub(got, want)
	if norm := mat.Norm(want, 2); norm != 0 {
		return mat.Norm(&diff, 2) / norm
	}
	return mat.Norm(&diff, 2)
}

// MaxDiff returns the largest |a_ij - b_ij|, or NaN if one of the differences is NaN.
func MaxDiff(a, b mat.Matrix) (d float64) {
	var diff mat.Dense
	diff.Sub(a, b)
	for _, v := range diff.RawMatrix().Data {
		d = math.Max(d, math.Abs(v))
	}
	return d
}

// NotNumbers holds quiet and signaling NaNs of both signs, each with payload 1 and with the largest
// payload, and both infinities.
var NotNumbers = []float64{
	math.Float64frombits(0x7ff8000000000001), math.Float64frombits(0xfff8000000000001),
	math.Float64frombits(0x7ff0000000000001), math.Float64frombits(0xfff0000000000001),
	math.Float64frombits(0x7fffffffffffffff), math.Float64frombits(0xffffffffffffffff),
	math.Float64frombits(0x7ff7ffffffffffff), math.Float64frombits(0xfff7ffffffffffff),
	math.Inf(1), math.Inf(-1),
}
