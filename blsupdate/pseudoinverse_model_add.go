package blsupdate

import "slices"

// The steps of an update of A⁺ by added rows, in the order in which the paper has them.
const (
	StepD             Step = "D' = Ax A+"
	StepC             Step = "C = Ax' - A'D"
	StepDbar          Step = "Dbar = A+ D"
	StepInner         Step = "inner product"
	StepRank          Step = "singular values of C"
	StepInverse       Step = "inverse"
	StepB             Step = "B"
	StepOrthogonal    Step = "B by QR of [D; I]"
	StepDAgain        Step = "D' again"
	StepPseudoinverse Step = "A+ - B D'"
	StepWeights       Step = "W + B (Ya - Ax W)"

	// Before and after them in the form Compressed, where Ax, Ya and B have k rows or columns in
	// between.
	StepCompress Step = "Ax = Q R, Q'Ya"
	StepExpand   Step = "B Q'"
)

// additionSteps lists the steps of an update in the order of its report.
var additionSteps = []Step{StepCompress, StepD, StepC, StepDbar, StepRank, StepInner, StepInverse, StepB, StepOrthogonal, StepDAgain,
	StepPseudoinverse, StepWeights, StepExpand}

// An addedShape is the sizes of an update of A⁺, and what it decides by the data.
type addedShape struct {
	Shape
	checkC bool // whether C is computed
	rankC  int  // its rank; B = (C⁺)ᵀ if that is q
	large  bool // whether B is computed without DᵀD, since the new rows are large
	split  bool // whether the batch is then added in two parts, updates of their own
}

// additionModel has the steps of one update of A⁺ by rows, in the form Small, Large or Compressed.
func additionModel(m Method, form Form, opt Options, s addedShape) []StepFlops {
	if form == Compressed {
		return compressedModel(opt, s)
	}
	l, k, q, c := s.L, s.K, s.Q, s.C
	kept := keptRows(opt, l, q)
	steps := []StepFlops{line(StepD, "2qkl", operation{fresh, 0, kept*q + q*k, 0}, operation{stream, 0, 2 * q * k, 0}, operation{gemmNT, l, q, k})}
	dbar := line(StepDbar, "2qkl", operation{fresh, 0, q * k, 0}, operation{gemmTN, q, k, l})
	if s.checkC {
		steps = append(steps, line(StepC, "2qkl", operation{gemmTN, q, k, l}), dbar,
			line(StepRank, "14 max(q,k) min(q,k)² + 8 min(q,k)³", operation{gesvd, q, k, 0}))
	} else {
		steps = append(steps, dbar)
	}
	inner := line(StepInner, "q²k", operation{fresh, 0, q * (q + 1) / 2, 0}, operation{gemmtpNT, 0, q, k})
	if m == Original {
		inner = line(StepInner, "q²l", operation{fresh, 0, q * (q + 1) / 2, 0}, operation{sprk, 0, q, l})
	}
	switch {
	case s.split:
		if s.rankC > 0 {
			steps = append(steps, line(StepRank, "2 max(q,k) min(q,k)² - 2 min(q,k)³/3", operation{geqp3, k, q, 0}))
		}
		if s.rankC == 0 || m == Original {
			steps = append(steps, inner)
		}
		return steps
	case s.rankC > 0:
		if m == Original { // which has DᵀD before C is known
			steps = append(steps, inner)
		}
		steps = append(steps, line(StepB, "2q²k", operation{fresh, 0, q * k, 0}, operation{gemmNT, q, k, q}))
	case form == Large:
		steps = append(steps, largeModel(opt, s.Shape)...)
	case s.large:
		steps = append(steps, inner, line(StepOrthogonal, "4lq² + 8q³/3 + 2qkl + q²k",
			operation{fresh, 0, (l + q) * q, 0}, operation{stream, 0, 2 * l * q, 0},
			operation{geqrf, l + q, q, 0}, operation{orgqr, l + q, q, 0}, operation{gemmTN, q, k, l}, operation{trtrs, q, q, k}))
	default:
		steps = append(append(steps, inner), smallModel(m == Improved && opt.Solve, s.Shape)...)
	}
	if again := l - kept; again > 0 {
		steps = append(steps, line(StepDAgain, "2qkr, r rows computed twice", operation{gemmNT, again, q, k}))
	}
	return append(steps,
		line(StepPseudoinverse, "2qkl", operation{gemmNN, l, k, q}),
		line(StepWeights, "4cqk", operation{gemmNN, q, c, k}, operation{gemmTN, k, c, q}))
}

// smallModel has the steps from DᵀD to B.
func smallModel(solve bool, s Shape) []StepFlops {
	k, q := s.K, s.Q
	if solve {
		return []StepFlops{line(StepInverse, "q³/3", operation{pptrf, q, q, 0}), line(StepB, "2q²k", operation{fresh, 0, q * k, 0}, operation{pptrs, q, q, k})}
	}
	return []StepFlops{line(StepInverse, "q³", operation{sptrf, q, q, 0}, operation{sptri, q, q, 0}), line(StepB, "2q²k", operation{fresh, 0, q * k, 0}, operation{spmmL, q, k, 0})}
}

// largeModel has the steps from Dbar to B.
func largeModel(opt Options, s Shape) []StepFlops {
	k, q := s.K, s.Q
	inner := line(StepInner, "2k²q", operation{fresh, 0, k * k, 0}, operation{gemmTN, k, k, q})
	if opt.Solve {
		return []StepFlops{inner,
			line(StepInverse, "2k³/3", operation{getrf, k, k, 0}, operation{gecon, 0, k, 0}),
			line(StepB, "2k²q", operation{fresh, 0, q * k, 0}, operation{getrs, k, k, q})}
	}
	return []StepFlops{inner,
		line(StepInverse, "2k³", operation{getrf, k, k, 0}, operation{gecon, 0, k, 0}, operation{getri, k, k, 0}),
		line(StepB, "2k²q", operation{fresh, 0, q * k, 0}, operation{gemmNT, q, k, k})}
}

// compressedModel has the steps of an update by the k rows of R that stand for q.
func compressedModel(opt Options, s addedShape) []StepFlops {
	inner := s
	inner.Q, opt.Solve = s.K, true
	return slices.Concat(
		[]StepFlops{compressionModel(s.Shape)},
		additionModel(Improved, Small, opt, inner),
		[]StepFlops{expansionModel(s.Shape)})
}

func compressionModel(s Shape) StepFlops {
	return line(StepCompress, "4qk² - 4k³/3 + 2cqk", operation{fresh, 0, s.Q * s.K, 0}, operation{stream, 0, 2 * s.Q * s.K, 0}, operation{geqrf, s.Q, s.K, 0}, operation{orgqr, s.Q, s.K, 0}, operation{gemmTN, s.K, s.C, s.Q})
}

func expansionModel(s Shape) StepFlops {
	return line(StepExpand, "2qk²", operation{gemmNN, s.Q, s.K, s.K})
}
