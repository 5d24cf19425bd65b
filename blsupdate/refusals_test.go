package blsupdate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/qr"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

type refusal struct {
	name   string
	of     []Method // all where it is nil
	a, y   *mat.Dense
	lambda float64
	do     func(u Updater) error
	want   func(error) bool
	says   string
	then   func(u Updater) error // must not fail afterwards
}

// The methods that keep A⁺, those that keep another inverse, and the others.
var (
	withA     = []Method{Original, Improved}
	withQ     = []Method{RidgeInverse, InverseCholesky}
	withRidge = []Method{Gram, QR}
)

// TestRefusals makes each call that must fail, on models with and without computed weights: the error
// is the wanted one, and not a bit of the model changes.
func TestRefusals(t *testing.T) {
	all := slices.Concat(wrongArguments(), wrongRows(), wrongNodes(), wrongRidges())
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, x := range all {
			if x.of != nil && !slices.Contains(x.of, v.method) {
				continue
			}
			for _, known := range []bool{false, true} {
				u := v.start(t, b, x.a, x.y, x.lambda)
				if known {
					_, _ = u.Weights() // which the rows may not determine
				}
				before := digest(u)
				err := x.do(u)
				if !x.want(err) || !strings.Contains(err.Error(), x.says) {
					t.Errorf("%s: error %v (%T), which is to say %q", x.name, err, err, x.says)
				}
				checkUnchanged(t, u, before, x.name, err)
				if x.then != nil {
					do(t, u, x.then(u))
				}
			}
		}
	})
}

// with returns a copy of m whose last element is value.
func with(m *mat.Dense, value float64) *mat.Dense {
	rows, cols := m.Dims()
	return nan(m, rows-1, cols-1, value)
}

// wrongArguments are shapes, options and numbers that no model takes.
func wrongArguments() (all []refusal) {
	const k, l, c = 5, 20, 2
	r, a, y := problem(41, 0, l, k, c)
	random := func(rows, cols int) *mat.Dense { return testutil.Random(r, rows, cols) }
	ax, ya := random(3, k), random(3, c)
	add := func(name, says string, want func(error) bool, do func(u Updater) error, of ...Method) {
		all = append(all, refusal{name: name, of: of, a: a, y: y, do: do, want: want, says: says})
	}
	shape, option, unsupported := is[*ShapeError], is[*OptionError], is[*UnsupportedError]
	add("no rows", "Ax is 0×0; want at least one row", shape, func(u Updater) error { return u.AddInputs(&mat.Dense{}, ya) })
	add("nil", "Ax is 0×0", shape, func(u Updater) error { return u.AddInputs(nil, nil) })
	add("nil targets", "Ya is 0×0", shape, func(u Updater) error { return u.AddInputs(ax, nil) })
	add("columns", "Ax is 3×6; want 5 columns", shape, func(u Updater) error { return u.AddInputs(random(3, k+1), ya) })
	add("targets", "Ya is 3×3; want 2 columns", shape, func(u Updater) error { return u.AddInputs(ax, random(3, c+1)) })
	add("rows", "Ya is 4×2; want 3 rows", shape, func(u Updater) error { return u.AddInputs(ax, random(4, c)) })
	add("overflow", "overflow", isOverflow, func(u Updater) error { return u.AddInputs(with(ax, 1e308), with(ya, 1e308)) })
	add("weights", "a weight for each row of Ax", shape, func(u Updater) error { return u.AddInputsContext(background, ax, ya, []float64{1, 1}) })
	add("negative weight", "the weight of row 1 is -1", option, func(u Updater) error { return u.AddInputsContext(background, ax, ya, []float64{1, -1, 1}) })
	add("weight overflow", "", isOverflow, func(u Updater) error {
		return u.AddInputsContext(background, with(ax, 1e200), ya, []float64{1, 1, 1e300})
	})
	for _, factor := range []float64{0, -0.5, 2} {
		add("factor", "the factor of Forget is", option, func(u Updater) error { return u.Forget(factor) })
	}
	add("nodes, rows of A", "A is 3×5", shape, func(u Updater) error { return u.AddNodes(ax, random(3, 2), ya) })
	add("nodes, rows of H", "H is 19×2", shape, func(u Updater) error { return u.AddNodes(a, random(l-1, 2), y) })
	add("nodes, columns of A", "A is 20×4", shape, func(u Updater) error { return u.AddNodes(random(l, k-1), random(l, 2), y) })
	add("nodes, targets", "Y is 20×3", shape, func(u Updater) error { return u.AddNodes(a, random(l, 2), random(l, c+1)) })
	add("nodes, overflow", "", isOverflow, func(u Updater) error { return u.AddNodes(a, scaled(random(l, 2), 2e307), y) }, slices.Concat(withQ, withRidge)...)
	add("leverage", "X is 2×6", shape, func(u Updater) error { _, err := u.Leverage(random(2, k+1)); return err }, withQ...)
	for _, nodes := range [][]int{{}, {-1}, {k}} {
		add("nodes", "node", option, func(u Updater) error { _, err := u.Covariance(nodes); return err })
		add("nodes", "node", option, func(u Updater) error { _, err := u.StandardErrors(nodes); return err })
	}
	leaveOneOut := func(weights ...float64) func(u Updater) error {
		return func(u Updater) error {
			_, err := u.LeaveOneOutContext(background, rowsBetween(a, 0, 1), rowsBetween(y, 0, 1), weights)
			return err
		}
	}
	add("weights", "a weight for each row of X", shape, leaveOneOut(1, 1))
	add("negative weight", "the weight of row 0 is -1", option, leaveOneOut(-1))
	for _, do := range []func(u Updater) error{
		func(u Updater) error { _, err := u.Statistics(); return err },
		func(u Updater) error { _, err := u.Leverage(a); return err },
		func(u Updater) error { _, err := u.Covariance(nil); return err },
	} {
		approximate := func(err error) bool { return err == ErrApproximate }
		all = append(all, refusal{name: "statistics with a ridge", of: withA, a: a, y: y, lambda: 1, do: do, want: approximate},
			refusal{name: "statistics of one row", of: withRidge, a: rowsBetween(a, 0, 1), y: rowsBetween(y, 0, 1), do: do, want: is[*RankError]})
	}
	add("refinement", "A is 19×5", shape, func(u Updater) error { return u.(Refiner).Refine(rowsBetween(a, 1, l), rowsBetween(y, 1, l)) }, Gram)

	for _, act := range []func(u Updater, m *mat.Dense) error{Updater.AddTargets, Updater.MapTargets} {
		for _, m := range []*mat.Dense{nil, {}, mat.NewDense(c+1, 1, nil)} {
			add("map of targets", "T is", shape, func(u Updater) error { return act(u, m) })
		}
		add("map with NaN", "element (1,0) of T", is[*NotFiniteError], func(u Updater) error { return act(u, mat.NewDense(c, 1, []float64{1, math.NaN()})) })
		add("map that overflows", "", isOverflow, func(u Updater) error { return act(u, mat.NewDense(c, 2, []float64{1, 1e308, 0, 1.7e308})) })
	}
	const instead = "start the model with gram or qr"
	add("no merging", instead, unsupported, func(u Updater) error { return u.Merge(u) }, slices.Concat(withA, withQ)...)
	add("no change of the ridge", instead, unsupported, func(u Updater) error { return u.SetLambda(1) }, slices.Concat(withA, withQ)...)
	add("negative ridge", "Lambda is -1", option, func(u Updater) error { return u.SetLambda(-1) }, withRidge...)
	add("merging with itself", "the receiver", option, func(u Updater) error { return u.Merge(u) }, withRidge...)
	add("merging with nothing", "a model from New", option, func(u Updater) error { return u.Merge(nil) }, withRidge...)
	for _, other := range []struct {
		says   string
		method Method // 0 for that of the model
		k, c   int
		want   func(error) bool
	}{{"is improved", Improved, k, c, option}, {"is 4×2", 0, k - 1, c, shape}, {"is 5×1", 0, k, 1, shape}} {
		add("merging with another model", other.says, other.want, func(u Updater) error {
			o, err := New(cmp.Or(other.method, u.Method()), random(l, other.k), random(l, other.c), Options{})
			return errors.Join(err, u.Merge(o))
		}, withRidge...)
	}
	return all
}

func wrongRows() (all []refusal) {
	const k, l, c = 5, 20, 2
	r, a, y := problem(62, 0, l, k, c)
	leverage, unknown, rank := is[*LeverageError], is[*UnknownRowError], is[*RankError]
	add := func(name, says string, want func(error) bool, x refusal, do func(u Updater) error, of ...Method) {
		x.name, x.says, x.want, x.do, x.of = name, says, want, do, of
		if x.a == nil {
			x.a, x.y = a, y
		}
		all = append(all, x)
	}
	remove := func(ax, ya *mat.Dense) func(u Updater) error {
		return func(u Updater) error { return u.RemoveInputs(ax, ya) }
	}
	learn := func(ax, ya *mat.Dense) func(u Updater) error {
		return func(u Updater) error { return u.AddInputs(ax, ya) }
	}
	add("more than there are", "at most 20 rows", is[*ShapeError], refusal{}, remove(testutil.Random(r, l+1, k), testutil.Random(r, l+1, c)))
	add("all", "removed (1 - leverage is 0): keep some samples", leverage, refusal{}, remove(a, y))
	few := rowsBetween(a, 0, k+3)
	for _, left := range []int{3, k - 1} {
		add("too many", "rows to be removed", leverage, refusal{}, remove(rowsBetween(a, left, l), rowsBetween(y, left, l)))
		add("too many for a ridge", fmt.Sprintf("would leave too few samples (%d) for 5 nodes with lambda > 0", left), rank, refusal{lambda: 0.1},
			remove(rowsBetween(a, left, l), rowsBetween(y, left, l)), withA...)
	}
	add("too many of a few", "", leverage, refusal{a: few, y: rowsBetween(y, 0, k+3)}, remove(rowsBetween(a, 2, 6), rowsBetween(y, 2, 6)))
	for seed := range uint64(10) { // where rounding hides the leverage of 1
		_, ill, illY := conditioned(seed, 3, 19, 16, 2, 1e11)
		add("too many of an ill-conditioned A", "", leverage, refusal{a: ill, y: illY}, remove(rowsBetween(ill, 2, 6), rowsBetween(illY, 2, 6)), QR)
	}
	for _, size := range []float64{10, 1e100, 1e200, 1e300} {
		for _, q := range []int{1, 30} {
			start := refusal{a: testutil.Random(r, 60, 40), y: testutil.Random(r, 60, c)}
			ax, ya := scaled(testutil.Random(r, q, 40), size), testutil.Random(r, q, c)
			add("strangers", "", leverage, start, remove(ax, ya), QR)
			add("strangers", "", isAny, start, remove(ax, ya), slices.Concat(withA, withQ, []Method{Gram})...)
		}
	}
	large := refusal{a: testutil.Random(r, 60, 16), y: testutil.Random(r, 60, c)}
	for _, q := range []int{1, 2, 3, 20} { // by both ways; noticed when the leverage has been accepted
		for _, size := range []float64{1024 * qr.LargestColumn, math.MaxFloat64} {
			add("targets that overflow", "", isOverflow, large, remove(rowsBetween(large.a, 0, q), constantRows(r, q, c, size)), QR)
		}
	}
	add("rows beyond float64", "", isOverflow, refusal{}, learn(constantRows(r, 3*k, k, math.MaxFloat64), testutil.Random(r, 3*k, c)))
	below := constantRows(r, 2000, k, qr.LargestColumn/64) // just below what is refused
	for _, large := range []float64{qr.LargestColumn, math.MaxFloat64} {
		ax, ya := testutil.Random(r, 3, k), testutil.Random(r, 3, c)
		then := func(u Updater) error {
			return errors.Join(u.AddInputs(below, constantRows(r, 2000, c, qr.LargestColumn/64)), Encode(io.Discard, u))
		}
		add("large rows", "", isOverflow, refusal{then: then}, learn(nan(ax, 1, k-1, large), ya), QR)
		add("large targets", "", isOverflow, refusal{}, learn(ax, nan(ya, 2, 1, -large)), QR)
	}

	moved, other := nan(a, 4, 2, math.Nextafter(a.At(4, 2), 9)), nan(y, 2, 1, -y.At(2, 1))
	add("one bit", "row 1 of the rows to remove", unknown, refusal{}, remove(rowsBetween(moved, 3, 6), rowsBetween(y, 3, 6)), withA...)
	add("other targets", "row 2 of the rows to remove", unknown, refusal{}, remove(rowsBetween(a, 0, 4), rowsBetween(other, 0, 4)), withA...)
	add("twice", "row 2 of the rows to remove", unknown, refusal{}, remove(take(a, []int{5, 6, 5}), take(y, []int{5, 6, 5})), withA...)
	wide, wideY := testutil.Random(r, 3, k), testutil.Random(r, 3, c)
	add("independent", "", leverage, refusal{a: wide, y: wideY}, remove(rowsBetween(wide, 1, 2), rowsBetween(wideY, 1, 2)), withA...)
	// If rows are removed in blocks or one by one, each block leaves a millionth of the information
	// in one direction, and all together leave much less.
	for _, q := range []int{3, 150} {
		whole, targets := testutil.Random(r, 60+q, 45), testutil.Random(r, 60+q, 1)
		for i := range 60 + q {
			if i < 60 {
				whole.Set(i, 0, whole.At(i, 0)*1e-6)
			} else if i >= 60+q/3 {
				whole.Set(i, 0, whole.At(i, 0)*1e-3)
			}
		}
		add("in parts", "", leverage, refusal{a: whole, y: targets}, remove(rowsBetween(whole, 60, 60+q), rowsBetween(targets, 60, 60+q)), withQ...)
	}
	// Rows of both signs, and rows whose dominant direction has elements of both signs, to which a
	// starting vector without negative elements is orthogonal. 1-h is e² up to a factor.
	for _, rows := range [][]float64{{1, -1}, {1, 1}, {1, 0.5, -1, -0.5}, {1, -0.5, -1, 0.5}, {1, -1, -1, 1, 1, -1, -1, 1}, {1, -1, 1, -1}} {
		e, q := 0x1p-17, len(rows)/2
		if q == 1 {
			e = 0x1p-20
		}
		signed, signedY := mat.NewDense(2+q, 2, append([]float64{e, 0, 0, e}, rows...)), mat.NewDense(2+q, 1, append([]float64{e, 2 * e, 5}, make([]float64, q-1)...))
		add("both signs", "", isSingular, refusal{a: signed, y: signedY}, remove(rowsBetween(signed, 2, 2+q), rowsBetween(signedY, 2, 2+q)))
	}
	// Two larger rows complete the row space. The other rows' targets fail the batch's second part.
	small, ax, ya := scaled(testutil.Random(r, 3, 5), 1e-3), scaled(testutil.Random(r, 20, 5), 1e-3), mat.NewDense(20, 1, nil)
	for i := range 20 {
		if i == 4 || i == 11 {
			scaled(ax.Slice(i, i+1, 0, 5).(*mat.Dense), 100)
		} else {
			ya.Set(i, 0, 1e307)
		}
	}
	add("weights that overflow half-way", "", isOverflow, refusal{a: small, y: testutil.Random(r, 3, 1), then: learn(ax, testutil.Random(r, 20, 1))}, learn(ax, ya), withA...)
	add("a rank that cannot be decided", "", is[*ConditionError], refusal{a: nearlyDependent(r), y: testutil.Random(r, 4, 1)},
		learn(testutil.Random(r, 1, 9), testutil.Random(r, 1, 1)), withA...)
	return all
}

// constantRows returns elements of one size and any sign.
func constantRows(r *rand.Rand, rows, cols int, size float64) *mat.Dense {
	return scaled(signs(r, rows, cols), size)
}

// nearlyDependent returns a wide A of condition 1e14: new rows or nodes look like rounding noise.
func nearlyDependent(r *rand.Rand) *mat.Dense {
	return gonummat.DenseCopyOf(testutil.WithCondition(r, 9, 4, 1e14).T())
}

func wrongNodes() (all []refusal) {
	const k, l = 5, 20
	r, a, y := problem(75, 0, l, k, 1)
	add := func(name, says string, want func(error) bool, a, h, y *mat.Dense, lambda float64, of ...Method) {
		all = append(all, refusal{name: name, says: says, want: want, a: a, y: y, lambda: lambda, of: of,
			do: func(u Updater) error { return u.AddNodes(a, h, y) }})
	}
	condition, rank := is[*ConditionError], is[*RankError]
	random := func(cols int) *mat.Dense { return testutil.Random(r, l, cols) }
	add("too few samples for a ridge", "would leave too few samples (20) for 25 nodes with lambda > 0", rank, a, random(l), y, 0.1, withA...)
	add("too few samples", "too few samples (4) to determine the weights of 5 nodes without a ridge: add rows first", rank,
		rowsBetween(a, 0, 4), testutil.Random(r, 4, l), rowsBetween(y, 0, 4), 0, QR)
	add("a rank that cannot be decided", "", condition, nearlyDependent(r), testutil.Random(r, 4, 2), testutil.Random(r, 4, 1), 0, withA...)
	add("overflow of D", "", isOverflow, a, scaled(random(2), 4e307), y, 0, withA...)
	add("overflow of D, with a ridge", "", isOverflow, scaled(gonummat.DenseCopyOf(a), 1e-3), scaled(random(2), 4e307), y, 1e-6, withA...)
	add("overflow of W", "", isOverflow, a, scaled(random(2), 1e-200), scaled(gonummat.DenseCopyOf(y), 1e200), 0, withA...)
	add("an ill-conditioned A", "use New to start a new model with all nodes", condition, testutil.WithCondition(r, l, k, 1e9), random(2), y, 0, QR, InverseCholesky)
	add("an A of dependent columns", "", condition, dependent(a), random(2), y, 0, QR)
	add("a large number", "", isOverflow, a, with(random(2), math.MaxFloat64), y, 0, QR)
	return all
}

// wrongRidges are ridges that alone determine the model and cannot be removed, though most of one can.
func wrongRidges() (all []refusal) {
	const k = 12
	r := rand.New(rand.NewPCG(31, 5))
	a, y := testutil.RandomRank(r, 30, k, 5), testutil.Random(r, 30, 2)
	add := func(a, y *mat.Dense, from, to float64, then func(u Updater) error) {
		all = append(all, refusal{name: fmt.Sprintf("ridge %g to %g", from, to), of: []Method{QR}, a: a, y: y, lambda: from,
			want: is[*LeverageError], says: "part of the ridge to be removed", do: func(u Updater) error { return u.SetLambda(to) }, then: then})
	}
	for _, rows := range []int{4, 30} {
		for _, to := range []float64{0, 1e-9} {
			add(rowsBetween(a, 0, rows), rowsBetween(y, 0, rows), 1, to, func(u Updater) error { return u.SetLambda(1e-3) })
		}
	}
	for range 20 {
		add(testutil.Random(r, k-1, k), testutil.Random(r, k-1, 2), 1e-22, 0, nil) // near rounding errors
	}
	return all
}
