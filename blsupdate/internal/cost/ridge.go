package cost

import (
	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/internal/backend"
)

// ridgeInverseModel is Model for RidgeInverse.
func RidgeModel(action api.Action, opt api.Options, s Shape) []StepFlops {
	switch action {
	case api.ActionStart:
		return RidgeStart(s.L, s.K, s.C)
	case api.ActionAdd:
		return RidgeAdd(opt, RidgeForm(opt.Form, s.Q, s.K, s.C), s.Q, s.K, s.C)
	case api.ActionRemove:
		return RidgeSmall(opt, s.Q, s.K, s.C) // the addition by order q with the other sign
	case api.ActionNodes:
		return RidgeNodes(opt, s)
	default:
		return nil
	}
}

// ridgeInverseForm returns the form in which q rows are added, Small or Large.
func RidgeForm(form api.Form, q, k, c int) api.Form {
	switch form {
	case api.Small, api.Large:
		return form
	case api.Paper:
		if q <= k {
			return api.Small
		}
		return api.Large
	default:
		if SumOf(RidgeLarge(q, k, c)) < SumOf(RidgeSmall(api.Options{}, q, k, c)) {
			return api.Large
		}
		return api.Small
	}
}

// ridgeInverseBlocks returns the number of blocks, of nearly the same size, in which q rows are added
// or removed: of at most k/4 rows, with which 2q²k flops become qk²/2 and the passes over Q do not
// count yet.
func RidgeBlocks(q, k int) int {
	most := max(k/4, leastBlock)
	return (q + most - 1) / most
}

// leastBlock is the number of rows below which blocks are not made smaller: products of fewer are slow.
const leastBlock = 64

// blockRange returns the first row of block i and that after its last, of q rows in so many blocks.
func BlockRange(q, blocks, i int) (from, to int) { return i * q / blocks, (i + 1) * q / blocks }

func RidgeStart(l, k, c int) []StepFlops {
	return append(startSteps(l, k, c), Line(StepQ, "2k³/3", op(Pptri, k, k, 0)))
}

func RidgeAdd(opt api.Options, form api.Form, q, k, c int) []StepFlops {
	if form == api.Large {
		return RidgeLarge(q, k, c)
	}
	return RidgeSmall(opt, q, k, c)
}

// ridgeInverseSmall has the steps of an addition, or a removal, by blocks of rows.
func RidgeSmall(opt api.Options, q, k, c int) []StepFlops {
	product := Line(StepP, "2qk²")
	inner := Line(StepKernel, "q²k in blocks of k/4 rows")
	factor := Line(StepFactor, "q³/3 + q²k in blocks of k/4 rows")
	weights := Line(StepWeights, "4cqk + cq² in blocks of k/4 rows")
	update := Line(StepQ, "qk²")
	blocks := RidgeBlocks(q, k)
	if blocks > 1 {
		half := k * (k + 1) / 2
		product.Work = append(product.Work, op(Fresh, 0, half, 0), op(Stream, 0, 2*half, 0))
	}
	for i := range blocks {
		from, to := BlockRange(q, blocks, i)
		q := to - from
		product.Work = append(product.Work, op(ProductKind(opt.Backend, q), q, k, 0))
		inner.Work = append(inner.Work, op(GemmtpNT, 0, q, k))
		factor.Work = append(factor.Work, op(Pptrf, q, q, 0), op(Tptrs, q, q, k))
		weights.Work = append(weights.Work, op(GemmNN, q, c, k), op(Tptrs, q, q, c), op(GemmTN, k, c, q))
		update.Work = append(update.Work, op(RankKind(opt.Backend, q), q, k, q))
	}
	return []StepFlops{product, inner, factor, weights, update}
}

// ridgeInverseLarge has the steps of an addition by two inverses.
func RidgeLarge(q, k, c int) []StepFlops {
	half := k * (k + 1) / 2
	return []StepFlops{
		Line(StepG, "k³ + qk²", op(Fresh, 0, half, 0), op(Stream, 0, 2*half, 0),
			op(Pptrf, k, k, 0), op(Pptri, k, k, 0), op(Sprk, 0, k, q)),
		Line(StepQ, "k³", op(Pptrf, k, k, 0), op(Pptri, k, k, 0)),
		Line(StepWeights, "4cqk + 2ck²", op(GemmNN, q, c, k), op(GemmTN, k, c, q), op(SpmmL, k, c, 0)),
	}
}

// ridgeInverseNodes has the steps of an addition of p nodes.
func RidgeNodes(opt api.Options, s Shape) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	half := k * (k + 1) / 2
	return append(borderSteps(s, "4k²p", op(ProductKind(opt.Backend, p), p, k, 0)),
		Line(StepNodesS, "lp² + kp²", op(Sprk, 0, p, l), op(GemmtpNT, 0, p, k)),
		Line(StepFactor, "p³/3", op(Pptrf, p, p, 0)),
		Line(StepWeights, "2clp + 2cp² + 2ckp", op(GemmTN, p, c, l), op(Pptrs, p, p, c), op(GemmTN, k, c, p)),
		Line(StepQ, "k²p + 2kp² + 2p³/3", op(Fresh, 0, half, 0), op(Stream, 0, 2*half, 0),
			op(Tptrs, p, p, k), op(Tptrs, p, p, k), op(RankKind(opt.Backend, p), p, k, p), op(Pptri, p, p, 0)))
}

// How the products of few rows with Q are made. All of them read Q once and count as what they are,
// Dspmm and Dsprk; but those take Q apart for matrices of many rows, which for few rows is most of
// their time.
//
// P = Ax Q, microseconds on one thread of Zen 4 (pure / openblas):
//
//	  k    q   Dspmm        strips of Q   Dspmv by row
//	1000    1    551 /  1888   280 /  287    135 /   190
//	1000    8    874 /  2490   508 /  584   1118 /  1869
//	1000   32   1837 /  2912  1633 / 1489   4722 /  4829
//	2000    1   5432 / 16312  1889 / 1552   1106 /  1050
//	2000    8   6763 / 17014  3483 / 2493  10806 /  8207
//	2000   32   9705 / 22674  6608 / 7285  32603 / 31256
//	2000  128  23620 / 37107 21448 / 25376
//
// Q - TᵀT with q = 4 and k = 1000: Dsprk 195 / 649, Dgemv for each row of Q 208 / 414, Dspr 286 / 370;
// with q = 16: 527 / 1127, 927 / 1181, 1203 / 1424.
const (
	// stripRows is the number of rows of Q that are unpacked at a time: their part of a product with 16
	// to 64 rows takes the same time.
	StripRows = 32
	// mostStrips and mostStripsMade are the numbers of rows of Ax up to which P is made by strips: on a
	// backend with packed products of its own, and on one for which they are made of Dgemm.
	mostStrips, mostStripsMade = 32, 128
	// mostGemv is the number of rows of T up to which Q - TᵀT is made row by row on a backend without
	// packed products.
	mostGemv = 8
)

// productKind returns how P = Ax Q is made for q rows of Ax.
func ProductKind(b blskernel.Backend, q int) Kind {
	most := mostStripsMade
	if hasPacked(b) {
		most = mostStrips
	}
	switch {
	case q == 1:
		return Spmv
	case q <= most:
		return SpmmStrips
	default:
		return SpmmR
	}
}

// rankKind returns how Q - TᵀT is made for q rows of T.
func RankKind(b blskernel.Backend, q int) Kind {
	switch {
	case q == 1:
		return Spr
	case q <= mostGemv && !hasPacked(b):
		return SprkRows
	default:
		return Sprk
	}
}

// hasPacked tells whether a backend has packed products of its own.
func hasPacked(b blskernel.Backend) bool {
	_, ok := backend.Or(b).(blskernel.PackedProducts)
	return ok
}
