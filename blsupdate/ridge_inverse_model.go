package blsupdate

// The steps of RidgeInverse.
const (
	StepP Step = "P = Ax Q"
	StepQ Step = "Q"
)

// ridgeInverseModel is Model for RidgeInverse.
func ridgeInverseModel(action Action, opt Options, s Shape) []StepFlops {
	switch action {
	case ActionStart:
		return ridgeInverseStart(s.L, s.K, s.C)
	case ActionAdd:
		return ridgeInverseAddition(opt, ridgeInverseForm(opt.Form, s.Q, s.K, s.C), s.Q, s.K, s.C)
	case ActionRemove:
		return ridgeInverseSmall(opt, s.Q, s.K, s.C) // the addition by order q with the other sign
	case ActionNodes:
		return ridgeInverseNodes(opt, s)
	default:
		return nil
	}
}

// ridgeInverseForm returns the form in which q rows are added, Small or Large.
func ridgeInverseForm(form Form, q, k, c int) Form {
	switch form {
	case Small, Large:
		return form
	case Paper:
		if q <= k {
			return Small
		}
		return Large
	default:
		if total(ridgeInverseLarge(q, k, c)) < total(ridgeInverseSmall(Options{}, q, k, c)) {
			return Large
		}
		return Small
	}
}

// ridgeInverseBlocks returns the number of blocks, of nearly the same size, in which q rows are added
// or removed: of at most k/4 rows, with which 2q²k flops become qk²/2 and the passes over Q do not
// count yet.
func ridgeInverseBlocks(q, k int) int {
	most := max(k/4, leastBlock)
	return (q + most - 1) / most
}

// leastBlock is the number of rows below which blocks are not made smaller: products of fewer are slow.
const leastBlock = 64

// blockRange returns the first row of block i and that after its last, of q rows in so many blocks.
func blockRange(q, blocks, i int) (from, to int) { return i * q / blocks, (i + 1) * q / blocks }

func ridgeInverseStart(l, k, c int) []StepFlops {
	return append(startSteps(l, k, c), line(StepQ, "2k³/3", operation{pptri, k, k, 0}))
}

func ridgeInverseAddition(opt Options, form Form, q, k, c int) []StepFlops {
	if form == Large {
		return ridgeInverseLarge(q, k, c)
	}
	return ridgeInverseSmall(opt, q, k, c)
}

// ridgeInverseSmall has the steps of an addition, or a removal, by blocks of rows.
func ridgeInverseSmall(opt Options, q, k, c int) []StepFlops {
	product := line(StepP, "2qk²")
	inner := line(StepKernel, "q²k in blocks of k/4 rows")
	factor := line(StepFactor, "q³/3 + q²k in blocks of k/4 rows")
	weights := line(StepWeights, "4cqk + cq² in blocks of k/4 rows")
	update := line(StepQ, "qk²")
	blocks := ridgeInverseBlocks(q, k)
	if blocks > 1 {
		half := k * (k + 1) / 2
		product.work = append(product.work, operation{fresh, 0, half, 0}, operation{stream, 0, 2 * half, 0})
	}
	for i := range blocks {
		from, to := blockRange(q, blocks, i)
		q := to - from
		product.work = append(product.work, operation{productKind(opt.Backend, q), q, k, 0})
		inner.work = append(inner.work, operation{gemmtpNT, 0, q, k})
		factor.work = append(factor.work, operation{pptrf, q, q, 0}, operation{tptrs, q, q, k})
		weights.work = append(weights.work, operation{gemmNN, q, c, k}, operation{tptrs, q, q, c}, operation{gemmTN, k, c, q})
		update.work = append(update.work, operation{rankKind(opt.Backend, q), q, k, q})
	}
	return []StepFlops{product, inner, factor, weights, update}
}

// ridgeInverseLarge has the steps of an addition by two inverses.
func ridgeInverseLarge(q, k, c int) []StepFlops {
	half := k * (k + 1) / 2
	return []StepFlops{
		line(StepG, "k³ + qk²", operation{fresh, 0, half, 0}, operation{stream, 0, 2 * half, 0},
			operation{pptrf, k, k, 0}, operation{pptri, k, k, 0}, operation{sprk, 0, k, q}),
		line(StepQ, "k³", operation{pptrf, k, k, 0}, operation{pptri, k, k, 0}),
		line(StepWeights, "4cqk + 2ck²", operation{gemmNN, q, c, k}, operation{gemmTN, k, c, q}, operation{spmmL, k, c, 0}),
	}
}

// ridgeInverseNodes has the steps of an addition of p nodes.
func ridgeInverseNodes(opt Options, s Shape) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	half := k * (k + 1) / 2
	return append(borderSteps(s, "4k²p", operation{productKind(opt.Backend, p), p, k, 0}),
		line(StepNodesS, "lp² + kp²", operation{sprk, 0, p, l}, operation{gemmtpNT, 0, p, k}),
		line(StepFactor, "p³/3", operation{pptrf, p, p, 0}),
		line(StepWeights, "2clp + 2cp² + 2ckp", operation{gemmTN, p, c, l}, operation{pptrs, p, p, c}, operation{gemmTN, k, c, p}),
		line(StepQ, "k²p + 2kp² + 2p³/3", operation{fresh, 0, half, 0}, operation{stream, 0, 2 * half, 0},
			operation{tptrs, p, p, k}, operation{tptrs, p, p, k}, operation{rankKind(opt.Backend, p), p, k, p}, operation{pptri, p, p, 0}))
}
