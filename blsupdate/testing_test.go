package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"blskernel"

	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// configurations are all the ways to compute the same A⁺ for lambda = 0.
var configurations = []variant{
	{Original, Auto, false},
	{Improved, Small, false}, {Improved, Large, false}, {Improved, Paper, false}, {Improved, Auto, false},
	{Improved, Compressed, false}, {Improved, Small, true}, {Improved, Large, true},
}

func stack(a, b *mat.Dense) *mat.Dense {
	if a.IsEmpty() {
		return b
	}
	var c mat.Dense
	c.Stack(a, b)
	return &c
}

// pinvOf returns the brute-force pseudoinverse of a and its singular values, in descending order.
func pinvOf(a *mat.Dense) (*mat.Dense, []float64) {
	l, k := a.Dims()
	var svd gonummat.SVD
	if !svd.Factorize(a, gonummat.SVDThin) {
		panic("singular value decomposition failed")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > 1e-10*values[0] {
		rank++
	}
	p := mat.NewDense(k, l, nil)
	if rank > 0 {
		for j := range rank {
			for i := range k {
				v.Set(i, j, v.At(i, j)/values[j])
			}
		}
		p.Mul(v.Slice(0, k, 0, rank), u.Slice(0, l, 0, rank).T())
	}
	return p, values[:rank]
}

// condition returns the ratio of the largest to the smallest singular value that counts.
func condition(values []float64) float64 {
	if len(values) == 0 {
		return 1
	}
	return values[0] / values[len(values)-1]
}

var relative = testutil.Distance

// highPrecision returns argmin ‖A W - Y‖² + lambda ‖W‖² by the normal equations in 400-bit numbers,
// which are accurate for every condition number in the tests.
func highPrecision(a, y *mat.Dense, lambda float64) *mat.Dense {
	const bits = 400
	l, k := a.Dims()
	_, c := y.Dims()
	all := dense.Beside(a, y)
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	g := make([][]*big.Float, k) // [AᵀA + lambda I, AᵀY]
	for i := range g {
		g[i] = make([]*big.Float, k+c)
		for j := range g[i] {
			g[i][j] = num(0)
			for r := range l {
				g[i][j].Add(g[i][j], num(0).Mul(num(a.At(r, i)), num(all.At(r, j))))
			}
		}
		g[i][i].Add(g[i][i], num(lambda))
	}
	for p := range g { // which is positive definite and needs no pivoting
		inv := num(0).Quo(num(1), g[p][p])
		for j := p; j < k+c; j++ {
			g[p][j].Mul(g[p][j], inv)
		}
		for i := range g {
			f := num(0).Set(g[i][p])
			for j := p; j < k+c && i != p; j++ {
				g[i][j].Sub(g[i][j], num(0).Mul(f, g[p][j]))
			}
		}
	}
	w := mat.NewDense(k, c, nil)
	for i := range k {
		for j := range c {
			v, _ := g[i][k+j].Float64()
			w.Set(i, j, v)
		}
	}
	return w
}

var must = testutil.NoError

// started is New for a start that must not fail.
func started(t testing.TB, m Method, a, y *mat.Dense, opt Options) Updater {
	t.Helper()
	u, err := New(m, a, y, opt)
	must(t, err)
	return u
}

func mustNew(t *testing.T, m Method, a, y *mat.Dense, opt Options) Pseudoinverter {
	t.Helper()
	return started(t, m, a, y, opt).(Pseudoinverter)
}

func weights(t *testing.T, u Updater) *mat.Dense {
	t.Helper()
	w, err := u.Weights()
	if err != nil {
		t.Fatalf("Weights: %v", err)
	}
	return w
}

// fieldOf returns a field of the state of u, which may be set.
func fieldOf(u Updater, path ...string) reflect.Value {
	v := reflect.ValueOf(driverOf(u).state).Elem()
	for _, name := range path {
		v = v.FieldByName(name)
	}
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// rankOf returns the rank of A that Original or Improved has determined.
func rankOf(u Updater) int { return int(fieldOf(u, "rank").Int()) }

// blocksOf returns the blocks of A, A⁺ or Y in Original or Improved.
func blocksOf(u Updater, matrix string) [][]float64 {
	var blocks [][]float64
	v := fieldOf(u, matrix, "blocks")
	for i := range v.Len() {
		data := v.Index(i).FieldByName("data")
		block := make([]float64, data.Len())
		for j := range block {
			block[j] = data.Index(j).Float()
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// scaleRows returns m with row i times factors[i].
func scaleRows(m *mat.Dense, factors []float64) *mat.Dense {
	c := dense.Copy(m)
	dense.ScaleRows(c, factors)
	return c
}

type variant struct {
	method Method
	form   Form
	solve  bool
}

func (v variant) String() string {
	s := fmt.Sprintf("method=%v/form=%v", v.method, v.form)
	if v.solve {
		s += "/solve"
	}
	return s
}

// ridgeSolver reports whether the method solves the ridge problem for lambda > 0.
func (v variant) ridgeSolver() bool { return !keepsInverse(v.method) }

var variants = []variant{
	{Gram, Auto, false}, {QR, Auto, false},
	{RidgeInverse, Auto, false}, {RidgeInverse, Small, false}, {RidgeInverse, Large, false},
	{InverseCholesky, Auto, false}, {InverseCholesky, Small, false}, {InverseCholesky, Large, false},
	{Original, Auto, false},
	{Improved, Auto, false}, {Improved, Paper, false}, {Improved, Small, false}, {Improved, Large, false}, {Improved, Compressed, false},
	{Improved, Small, true}, {Improved, Large, true}, {Improved, Compressed, true},
}

// eachVariant runs f for every variant on every backend, but not under the race detector: models start
// no goroutine, and their products here are too small for one.
func eachVariant(t *testing.T, f func(t *testing.T, v variant, b blskernel.Backend)) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, v := range variants {
			t.Run(v.String(), func(t *testing.T) { f(t, v, b) })
		}
	})
}

func (v variant) start(t *testing.T, b blskernel.Backend, a, y *mat.Dense, lambda float64) Updater {
	t.Helper()
	u, err := v.try(b, a, y, lambda)
	do(t, u, err)
	return u
}

// do fails the test if an action failed or its flops differ from the model's.
func do(t *testing.T, u Updater, err error) {
	t.Helper()
	must(t, err)
	checkReport(t, u)
}

// accuracy returns the bound on the relative error of W after l rows for the condition number κ.
func (v variant) accuracy(l int, kappa float64) float64 {
	unit := math.Sqrt(float64(l)) * dense.Eps * kappa
	switch {
	case v.method == Gram, v.method == RidgeInverse:
		return 10 * unit * kappa
	case v.method == Improved && (v.form == Large || v.form == Paper):
		return 50 * unit * kappa
	case !v.ridgeSolver():
		return 50 * unit
	default:
		return 10 * unit
	}
}

// checkWeights compares the weights of u with the ridge solution for the rows.
func checkWeights(t *testing.T, u Updater, a, y *mat.Dense, lambda, bound float64, where ...any) {
	t.Helper()
	if got := relative(weights(t, u), reference(a, y, lambda)); !(got <= bound) {
		t.Errorf("after %d rows W has error %.2g, bound %.2g %v", dense.Rows(a), got, bound, where)
	}
	checkReport(t, u)
}

// reference caches highPrecision, which is slow, for problems that many variants share.
func reference(a, y *mat.Dense, lambda float64) *mat.Dense {
	key := hashOf(dense.Compact(a), dense.Compact(y), lambda)
	if references[key] == nil {
		references[key] = highPrecision(a, y, lambda)
	}
	return references[key]
}

var references = map[uint64]*mat.Dense{}

// kappaOf returns the condition number of [A; sqrt(lambda) I].
func kappaOf(a *mat.Dense, lambda float64) float64 {
	var svd gonummat.SVD
	if !svd.Factorize(stack(a, dense.ScaledIdentity(dense.Cols(a), math.Sqrt(lambda))), gonummat.SVDNone) {
		panic("singular value decomposition failed")
	}
	return condition(svd.Values(nil))
}

func rowsBetween(m *mat.Dense, from, to int) *mat.Dense {
	return dense.Copy(dense.RowRange(m, from, to))
}

func columnsBetween(m *mat.Dense, from, to int) *mat.Dense {
	return gonummat.DenseCopyOf(m.Slice(0, dense.Rows(m), from, to))
}

// removal returns the bound on what a removal adds to the error: 1e3 eps/(1-h), 1e4 for Gram, with
// 1/(1-h) = 1 + the largest eigenvalue of Ax (AᵀA)⁻¹ Axᵀ after it.
func (v variant) removal(gone, kept *mat.Dense) float64 {
	p, _ := pinvOf(kept)
	var s mat.Dense
	s.Mul(gone, p)
	factor := 1e3
	if v.method == Gram {
		factor = 1e4
	}
	norm := s.Norm(2)
	return factor * dense.Eps * (1 + norm*norm)
}

var take = block.PickRows

// checkUnchanged fails the test unless digest returns before.
func checkUnchanged(t *testing.T, u Updater, before uint64, after ...any) {
	t.Helper()
	if digest(u) != before {
		t.Fatal("the state has changed: ", after)
	}
}

// refused fails the test unless the error is wanted and the state is unchanged.
func refused(t *testing.T, u Updater, before uint64, err error, want func(error) bool) {
	t.Helper()
	if !want(err) {
		t.Errorf("error %T: %v", err, err)
	}
	checkUnchanged(t, u, before)
}

func is[E error](err error) bool { return errors.As(err, new(E)) }

func isOverflow(err error) bool { return errors.Is(err, ErrOverflow) }
func isAny(err error) bool      { return err != nil }

// isSingular reports whether err says that the remaining rows do not determine a model.
func isSingular(err error) bool { return is[*LeverageError](err) || is[*ConditionError](err) }

// isRefusal reports whether err is one with which a method refuses a problem for lack of digits.
func isRefusal(err error) bool {
	return is[*ConditionError](err) || is[*RankError](err) || isOverflow(err)
}

// problem returns random rows for l samples, k nodes and c targets, and their random source.
func problem(seed1, seed2 uint64, l, k, c int) (r *rand.Rand, a, y *mat.Dense) {
	r = rand.New(rand.NewPCG(seed1, seed2))
	return r, testutil.Random(r, l, k), testutil.Random(r, l, c)
}

// conditioned is problem with an A of condition number kappa.
func conditioned(seed1, seed2 uint64, l, k, c int, kappa float64) (r *rand.Rand, a, y *mat.Dense) {
	r = rand.New(rand.NewPCG(seed1, seed2))
	return r, testutil.WithCondition(r, l, k, kappa), testutil.Random(r, l, c)
}

// ridges returns the ridges in all for which the method solves the ridge problem.
func (v variant) ridges(all ...float64) []float64 {
	return slices.DeleteFunc(all, func(lambda float64) bool { return lambda > 0 && !v.ridgeSolver() })
}

func ldexp(m *mat.Dense, power int) *mat.Dense {
	out := gonummat.DenseCopyOf(m)
	out.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, power) }, out)
	return out
}
