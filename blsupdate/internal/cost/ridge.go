package cost

import (
	"blskernel"
	"blskernel/blsupdate/types"
	"blskernel/internal/linalg/backend"
)

// RidgeForm resolves form to Small or Large, for an update that adds q rows to k nodes and c targets.
func RidgeForm(form types.Form, q, k, c int) types.Form {
	large := Sum(ridgeLarge(q, k, c)) < Sum(RidgeAdd(types.Options{}, types.Small, q, k, c))
	return smallOrLarge(form, q, k, large)
}

// RidgeBlocks returns the number of blocks in which q rows are added or removed. Blocks are nearly
// equal and have at most max(k/4, 64) rows, so that 2q²k flops become qk²/2, products stay fast, and
// the passes over Q are cheap.
func RidgeBlocks(q, k int) int {
	panel := max(k/4, 64)
	return (q + panel - 1) / panel
}

// BlockRange returns the rows [from, to) of block i if q rows form the given number of blocks.
func BlockRange(q, blocks, i int) (from, to int) { return i * q / blocks, (i + 1) * q / blocks }

func RidgeStart(l, k, c int) []StepFlops {
	return append(startSteps(l, k, c), Line(StepQ, "2k³/3", routine(Pptri, k)))
}

// RidgeAdd returns the steps of adding q rows, or, in the form Small, of removing them.
func RidgeAdd(opt types.Options, form types.Form, q, k, c int) []StepFlops {
	if form == types.Large {
		return ridgeLarge(q, k, c)
	}
	product := Line(StepP, "2qk²")
	inner := Line(StepKernel, "q²k in blocks of k/4 rows")
	factor := Line(StepFactor, "q³/3 + q²k in blocks of k/4 rows")
	weights := Line(StepWeights, "4cqk + cq² in blocks of k/4 rows")
	update := Line(StepQ, "qk²")
	blocks := max(1, RidgeBlocks(q, k))
	if blocks > 1 {
		product.Work = append(product.Work, fresh(packedLen(k)), stream(2*packedLen(k)))
	}
	for size := q / blocks; size <= q/blocks+1; size++ { // BlockRange makes blocks of these two sizes
		times := q % blocks
		if size == q/blocks {
			times = blocks - times
		}
		add := func(line *StepFlops, work ...Operation) {
			if times > 0 {
				line.Work = append(line.Work, repeat(times, work...)...)
			}
		}
		add(&product, fresh(size*k), op(ProductKind(opt.Backend, size), size, k, 0))
		add(&inner, fresh(packedLen(size)), op(GemmtpNT, 0, size, k))
		add(&factor, routine(Pptrf, size), op(Tptrs, size, size, k))
		add(&weights, op(GemmNN, size, c, k), op(Tptrs, size, size, c), stream(size*k), op(GemmTN, k, c, size))
		add(&update, op(RankKind(opt.Backend, size), size, k, size))
	}
	return []StepFlops{product, inner, factor, weights, update}
}

func ridgeLarge(q, k, c int) []StepFlops {
	return []StepFlops{
		Line(StepG, "k³ + qk²", fresh(packedLen(k)), stream(2*packedLen(k)), routine(Pptrf, k), routine(Pptri, k), op(Sprk, 0, k, q)),
		Line(StepQ, "k³", routine(Pptrf, k), routine(Pptri, k)),
		Line(StepWeights, "4cqk + 2ck²", op(GemmNN, q, c, k), op(GemmTN, k, c, q), op(SpmmL, k, c, 0)),
	}
}

func RidgeNodes(opt types.Options, s Shape) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	return append(borderSteps(s, op(ProductKind(opt.Backend, p), p, k, 0)),
		Line(StepNodesS, "lp² + kp²", op(Sprk, 0, p, l), op(GemmtpNT, 0, p, k)),
		Line(StepFactor, "p³/3", routine(Pptrf, p)),
		Line(StepWeights, "2clp + 2cp² + 2ckp", op(GemmTN, p, c, l), op(Pptrs, p, p, c), op(GemmTN, k, c, p)),
		Line(StepQ, "k²p + 2kp² + 2p³/3", fresh(packedLen(k)), stream(2*packedLen(k)),
			op(Tptrs, p, p, k), op(Tptrs, p, p, k), op(RankKind(opt.Backend, p), p, k, p), routine(Pptri, p)))
}

// Dspmm and Dsprk unpack Q, which takes most of their time if the other matrix has few rows. For few
// rows package ridge has other products, which read Q once and count the same flops. Times of P = Ax Q
// for k = 2000, in microseconds on one thread of Zen 4 (pure / openblas):
//
//	  q   Dspmm        strips of Q   Dspmv by row
//	  1    5432 / 16312  1889 / 1552   1106 /  1050
//	 32    9705 / 22674  6608 / 7285  32603 / 31256
//	128   23620 / 37107 21448 / 25376
//
// Times of Q - TᵀT for q = 4, k = 1000: Dsprk 195 / 649, Dgemv by row 208 / 414, Dspr 286 / 370.
const (
	// The largest number of rows of Ax in a product by strips, with and without packed products.
	maxStrips, maxStripsByGemm = 32, 128
	maxGemv                    = 8 // the largest number of rows of T in Q - TᵀT by Dgemv, without packed products
)

// ProductKind returns the kind of product that is fastest on b for Ax Q if Ax has q rows.
func ProductKind(b blskernel.Backend, q int) Kind {
	panel := maxStripsByGemm
	if hasPacked(b) {
		panel = maxStrips
	}
	switch {
	case q == 1:
		return Spmv
	case q <= panel:
		return SpmmStrips
	default:
		return SpmmR
	}
}

// RankKind returns the kind of operation that is fastest on b for Q - TᵀT if T has q rows.
func RankKind(b blskernel.Backend, q int) Kind {
	switch {
	case q == 1:
		return Spr
	case q <= maxGemv && !hasPacked(b):
		return SprkRows
	default:
		return Sprk
	}
}

func hasPacked(b blskernel.Backend) bool {
	_, ok := backend.Or(b).(blskernel.PackedProducts)
	return ok
}
