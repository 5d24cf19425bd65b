package cost

import (
	"slices"

	"blskernel/blsupdate/types"
)

// pseudoinverseAdded returns the steps of adding q rows in general position.
func pseudoinverseAdded(m types.Method, form types.Form, opt types.Options, s Shape) []StepFlops {
	wide := opt.C != types.CZero && opt.Lambda == 0 && s.L < s.K
	steps := PseudoinverseAdd(m, form, opt, AddedShape{Shape: s, CheckC: wide || opt.C == types.CCheck, wide: wide})
	if wide && s.L+s.Q >= s.K { // A⁺ is recomputed
		steps = Plus(steps, PseudoinverseStart(opt, Shape{L: s.L + s.Q, K: s.K, C: s.C, Start: types.StartQR, Rank: s.K}))
	}
	return steps
}

// pseudoinverseWidened returns the steps of adding p nodes in general position, of which at most l-k
// raise the rank of A.
func pseudoinverseWidened(opt types.Options, s Shape) []StepFlops {
	inside := NodesStrategy{Refined: true, Values: true}
	switch {
	case opt.Lambda > 0:
		return PseudoinverseNodes(s, NodesStrategy{Ridge: true, Rank: s.P})
	case s.L <= s.K:
		return PseudoinverseNodes(s, inside)
	case s.L >= s.K+s.P:
		return PseudoinverseNodes(s, NodesStrategy{Rank: s.P})
	}
	first, others, rank := s, s, s.L-s.K
	first.P, others.K, others.P = rank, s.L, s.P-rank
	return MergeModels(PseudoinverseNodes(s, NodesStrategy{Rank: rank, Values: true, Split: true}),
		PseudoinverseNodes(first, NodesStrategy{Rank: rank}), PseudoinverseNodes(others, inside))
}

// Resolve returns the form that opt.Form stands for in an update of Improved by s.Q rows: Small, Large
// or Compressed. s.K and s.L are the numbers of nodes and samples. For q > k, Auto stands for
// Compressed if that takes fewer flops, as it does for l large relative to k, and otherwise for Small.
// It never stands for Large, which is less accurate.
func Resolve(opt types.Options, s Shape) types.Form {
	switch {
	case opt.Form == types.Small || opt.Form == types.Large:
		return opt.Form
	case s.Q <= s.K:
		return types.Small
	case opt.Form == types.Paper:
		return types.Large
	}
	small := func(form types.Form) Thirds {
		return Sum(PseudoinverseAdd(types.Improved, form, opt, AddedShape{Shape: s}))
	}
	if opt.Form == types.Auto && small(types.Small) <= small(types.Compressed) {
		return types.Small
	}
	return types.Compressed
}

// completionModel returns the steps of an update by rows that raise the rank of A, at most to k. If
// fewer than q rows complete the row space, the batch is added in two parts: first the rows outside the
// row space, then the others, for which C is zero. Only the second part has a form, and Paper is
// resolved for that part alone. Compressed is decided for the whole batch, before C is known.
func completionModel(m types.Method, form types.Form, opt types.Options, s AddedShape) []StepFlops {
	s.RankC, s.wide = min(s.Q, s.K-s.L), false
	if s.RankC == s.Q {
		return PseudoinverseAdd(m, form, opt, s)
	}
	whole, outside, inside := s, s, s
	whole.Split = true
	outside.Q = s.RankC
	inside.L, inside.Q = s.L+s.RankC, s.Q-s.RankC
	inside.CheckC, inside.RankC = opt.C == types.CCheck, 0
	if m == types.Improved && opt.Form == types.Paper {
		form = Resolve(opt, inside.Shape)
	}
	return MergeModels(PseudoinverseAdd(m, form, opt, whole), PseudoinverseAdd(m, form, opt, outside), PseudoinverseAdd(m, form, opt, inside))
}

// pseudoinverseOrder lists the steps of an update of A⁺ in the order in which a Report has them.
var pseudoinverseOrder = []Step{StepCompress, StepD, StepC, StepDbar, StepNodesD, StepNodesC, StepNodesAgain, StepRank, StepInner,
	StepInverse, StepB, StepOrthogonal, StepNodesB, StepNodesW, StepNodesPseudoinverse, StepDAgain, StepPseudoinverse,
	StepWeights, StepExpand}

// MergeModels adds up, step by step, the models of the parts of a batch.
func MergeModels(models ...[]StepFlops) (sum []StepFlops) {
	for _, s := range slices.Concat(models...) {
		if i := slices.IndexFunc(sum, func(of StepFlops) bool { return of.Step == s.Step }); i >= 0 {
			sum[i] = Line(s.Step, "sum over the parts of the batch", slices.Concat(sum[i].Work, s.Work)...)
		} else {
			sum = append(sum, s)
		}
	}
	place := func(s StepFlops) int { return slices.Index(pseudoinverseOrder, s.Step) }
	slices.SortFunc(sum, func(a, b StepFlops) int { return place(a) - place(b) })
	return sum
}

// Plus returns the steps of both lists, model and more, with steps of the same name merged.
func Plus(model, more []StepFlops) []StepFlops {
	sum := slices.Clone(model)
	for _, m := range more {
		if i := slices.IndexFunc(sum, func(s StepFlops) bool { return s.Step == m.Step }); i >= 0 {
			sum[i] = Line(m.Step, sum[i].Formula+" + "+m.Formula, slices.Concat(sum[i].Work, m.Work)...)
		} else {
			sum = append(sum, m)
		}
	}
	return sum
}

func PseudoinverseStart(opt types.Options, s Shape) []StepFlops {
	l, k, c := s.L, s.K, s.C
	weights := Line(StepInitial, "2lkc", op(GemmTN, k, c, l))
	rows, formula := l, "4lk² - 4k³/3"
	if opt.Lambda > 0 {
		rows, formula = l+k, "4(l+k)k² - 4k³/3"
	}
	factor, q := op(Geqrf, rows, k, 0), op(Orgqr, rows, k, 0)
	switch {
	case s.Start == types.StartCholesky:
		return []StepFlops{
			Line(StepGram, "k²l", op(Sprk, 0, k, l)),
			Line(StepFactor, "k³/3", routine(Pptrf, k)),
			Line(StepStart, "2k²l", op(Pptrs, k, k, l)), weights}
	case s.Start == types.StartQR:
		return []StepFlops{Line(StepFactor, formula, factor, q), Line(StepStart, "k²l", op(Trtrs, k, k, l)),
			Line(StepInitial, "2lkc + ck²", op(GemmTN, k, c, l), op(Trtrs, k, k, c))}
	case l >= k:
		return []StepFlops{
			Line(StepFactor, formula+" + 22k³", factor, q, op(Gesvd, k, k, 0)),
			Line(StepStart, "2k²r + 2lk²", op(GemmNT, k, k, s.Rank), op(GemmNN, l, k, k)), weights}
	default:
		return []StepFlops{
			Line(StepFactor, "14kl² + 8l³", op(Gesvd, l, k, 0)),
			Line(StepStart, "2lkr", op(GemmNT, l, k, s.Rank)), weights}
	}
}

// PseudoinverseRemove returns the steps of removing q of l rows. A removal is an addition with another
// B, so its steps have the same names.
func PseudoinverseRemove(s Shape) []StepFlops {
	left, k, q, c := s.L-s.Q, s.K, s.Q, s.C
	return []StepFlops{
		Line(StepInner, "q²k", op(GemmtpNT, 0, q, k)),
		Line(StepInverse, "q³/3", routine(Pptrf, q)),
		Line(StepB, "2q²k", op(Pptrs, q, q, k)),
		Line(StepWeights, "4cqk", op(GemmNN, q, c, k), op(GemmTN, k, c, q)),
		Line(StepD, "2qk(l-q)", op(GemmNT, left, q, k)),
		// The norm of A⁺ is computed twice, and half of the rows move up on average.
		Line(StepPseudoinverse, "2qk(l-q)", stream(3*s.L*k), op(GemmNN, left, k, q)),
	}
}

// An AddedShape holds the sizes of an update of A⁺ by rows, and the choices that depend on the data.
type AddedShape struct {
	Shape
	CheckC       bool // C is computed
	RankC        int  // the rank of C; if it is q, B = (C⁺)ᵀ
	HighLeverage bool // B is computed without DᵀD, since the leverage is high
	Split        bool // the batch is added in two parts, each a separate update

	// A has fewer rows than columns, and all are independent: the sizes determine RankC and Split.
	wide bool
}

// KeptRows returns how many of the l rows of D, each of q numbers, fit into o.Workspace.
func KeptRows(o types.Options, l, q int) int {
	bytes := o.Workspace
	if bytes == 0 {
		bytes = types.DefaultWorkspace
	}
	return int(min(int64(l), max(0, bytes)/8/max(1, int64(q))))
}

// PseudoinverseAdd returns the steps of one update of A⁺ by rows. form is Small, Large or Compressed,
// or Auto if s.RankC is q.
func PseudoinverseAdd(m types.Method, form types.Form, opt types.Options, s AddedShape) []StepFlops {
	l, k, q, c := s.L, s.K, s.Q, s.C
	if form == types.Compressed {
		inner := s
		inner.Q, opt.Solve = k, true
		return PseudoinverseCompressed(s.Shape, PseudoinverseAdd(types.Improved, types.Small, opt, inner))
	}
	if s.wide {
		return completionModel(m, form, opt, s)
	}
	kept := KeptRows(opt, l, q)
	steps := []StepFlops{Line(StepD, "2qkl", fresh(kept*q+q*k), stream(2*q*k), op(GemmNT, l, q, k))}
	dbar := Line(StepDbar, "2qkl", fresh(q*k), op(GemmTN, q, k, l))
	if s.CheckC {
		steps = append(steps, Line(StepC, "2qkl", op(GemmTN, q, k, l)), dbar,
			Line(StepRank, "14 max(q,k) min(q,k)² + 8 min(q,k)³", op(Gesvd, q, k, 0)))
	} else {
		steps = append(steps, dbar)
	}
	inner := Line(StepInner, "q²k", fresh(packedLen(q)), op(GemmtpNT, 0, q, k))
	if m == types.Original { // it computes DᵀD before C is known
		inner = Line(StepInner, "q²l", fresh(packedLen(q)), op(Sprk, 0, q, l))
	}
	switch {
	case s.Split:
		if s.RankC > 0 {
			steps = append(steps, Line(StepRank, "2 max(q,k) min(q,k)² - 2 min(q,k)³/3", op(Geqp3, k, q, 0)))
		}
		if s.RankC == 0 || m == types.Original {
			steps = append(steps, inner)
		}
		return steps
	case s.RankC > 0:
		if m == types.Original {
			steps = append(steps, inner)
		}
		steps = append(steps, Line(StepB, "2q²k", fresh(q*k), op(GemmNT, q, k, q)))
	case form == types.Large:
		steps = append(steps, formLarge(opt.Solve, k, q)...)
	case s.HighLeverage:
		steps = append(steps, inner, Line(StepOrthogonal, "4lq² + 8q³/3 + 2qkl + q²k", fresh((l+q)*q), stream(2*l*q),
			op(Geqrf, l+q, q, 0), op(Orgqr, l+q, q, 0), op(GemmTN, q, k, l), op(Trtrs, q, q, k)))
	case m == types.Improved && opt.Solve:
		steps = append(steps, inner, Line(StepInverse, "q³/3", routine(Pptrf, q)),
			Line(StepB, "2q²k", fresh(q*k), op(Pptrs, q, q, k)))
	default:
		steps = append(steps, inner, Line(StepInverse, "q³", routine(Sptrf, q), routine(Sptri, q)),
			Line(StepB, "2q²k", fresh(q*k), op(SpmmL, q, k, 0)))
	}
	if again := l - kept; again > 0 {
		steps = append(steps, Line(StepDAgain, "2qkr, r rows computed twice", op(GemmNT, again, q, k)))
	}
	return append(steps,
		Line(StepPseudoinverse, "2qkl", op(GemmNN, l, k, q)),
		Line(StepWeights, "4cqk", op(GemmNN, q, c, k), op(GemmTN, k, c, q)))
}

func formLarge(solve bool, k, q int) []StepFlops {
	inner := Line(StepInner, "2k²q", fresh(k*k), op(GemmTN, k, k, q))
	if solve {
		return []StepFlops{inner,
			Line(StepInverse, "2k³/3", routine(Getrf, k), op(Gecon, 0, k, 0)),
			Line(StepB, "2k²q", fresh(q*k), op(Getrs, k, k, q))}
	}
	return []StepFlops{inner,
		Line(StepInverse, "2k³", routine(Getrf, k), op(Gecon, 0, k, 0), routine(Getri, k)),
		Line(StepB, "2k²q", fresh(q*k), op(GemmNT, q, k, k))}
}

// PseudoinverseCompressed returns the steps of a compressed update: the compression of q rows to the k
// rows of R, then inner, the steps of the update by R, and then the expansion of B.
func PseudoinverseCompressed(s Shape, inner []StepFlops) []StepFlops {
	q, k, c := s.Q, s.K, s.C
	return slices.Concat(
		[]StepFlops{Line(StepCompress, "4qk² - 4k³/3 + 2cqk", fresh(q*k), stream(2*q*k),
			op(Geqrf, q, k, 0), op(Orgqr, q, k, 0), op(GemmTN, k, c, q))},
		inner,
		[]StepFlops{Line(StepExpand, "2qk²", fresh(q*k+k*k), stream(2*k*k), op(GemmNN, q, k, k))})
}

// A NodesStrategy has the choices that depend on the data when nodes are added to A⁺.
type NodesStrategy struct {
	Ridge   bool // B is from the ridge formula, and nothing else is decided
	Rank    int  // the rank of C; if it is p, B = C⁺
	Refined bool // C is made orthogonal to A twice
	Values  bool // the rank requires the singular values of C
	Split   bool // the columns are added in two parts, each a separate addition
}

func PseudoinverseNodes(s Shape, how NodesStrategy) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	d, rest := op(GemmTN, k, p, l), op(GemmNN, l, p, k)
	steps := []StepFlops{Line(StepNodesD, "2klp", d), Line(StepNodesC, "2klp", stream(2*l*p), rest)}
	if how.Refined {
		steps = append(steps, Line(StepNodesAgain, "4klp", d, rest))
	}
	if !how.Ridge {
		steps = append(steps, nodesRank(l, p, how))
	}
	if how.Split {
		return steps
	}
	b := Line(StepNodesB, "3lp² - 2p³/3", op(Orgqr, l, p, 0), op(Trtrs, p, p, l))
	weights := Line(StepNodesW, "2clp + 2ckp", op(GemmTN, p, c, l), op(GemmNN, k, c, p))
	switch rows := l + k + p; {
	case how.Ridge:
		weights = Line(StepNodesW, "2ckl + 2clp + 4ckp", op(GemmNN, l, c, k), op(GemmTN, p, c, l), op(GemmTN, p, c, k), op(GemmNN, k, c, p))
		b = Line(StepNodesB, "5(l+k)p² + 8p³/3", fresh(rows*p), stream(2*(l+k)*p),
			op(Geqrf, rows, p, 0), op(Orgqr, rows, p, 0), op(Trtrs, p, p, l+k))
	case how.Rank == p && how.Refined:
		weights = Line(StepNodesW, "2ckl + 2clp + 2ckp", op(GemmNN, l, c, k), op(GemmTN, p, c, l), op(GemmNN, k, c, p))
	case how.Rank < p:
		weights = Line(StepNodesW, "4ckp", op(GemmTN, p, c, k), op(GemmNN, k, c, p))
		b = Line(StepNodesB, "2klp + 5kp² + 8p³/3", op(Geqrf, k+p, p, 0), op(Orgqr, k+p, p, 0), op(Trtrs, p, p, k), rest)
	}
	return append(steps, b, weights,
		Line(StepNodesPseudoinverse, "2klp", fresh(l*(k+p)), stream(4*l*(k+p)), op(GemmNT, l, k, p)))
}

func nodesRank(l, p int, how NodesStrategy) StepFlops {
	step := Line(StepRank, "")
	add := func(formula string, work ...Operation) {
		if step.Formula != "" {
			step.Formula += " + "
		}
		step.Formula, step.Work = step.Formula+formula, append(step.Work, work...)
	}
	rows, values, pivots := l, "14 p l² + 8l³", "2pl² - 2l³/3"
	if l >= p {
		rows, values, pivots = p, "22p³", "4p³/3"
		add("2lp² - 2p³/3", fresh(l*p), stream(2*l*p), op(Geqrf, l, p, 0)) // of a copy of C
	}
	if how.Values {
		add(values, op(Gesvd, rows, p, 0))
	}
	if how.Split {
		add(pivots, op(Geqp3, rows, p, 0))
	}
	return step
}
