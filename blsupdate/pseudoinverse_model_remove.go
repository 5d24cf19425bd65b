package blsupdate

// removalModel has the steps of the removal of q of l rows. Their names are those of an addition: it is
// one with another B.
func removalModel(s Shape) []StepFlops {
	left, k, q, c := s.L-s.Q, s.K, s.Q, s.C
	return []StepFlops{
		line(StepInner, "q²k", operation{gemmtpNT, 0, q, k}),
		line(StepInverse, "q³/3", operation{pptrf, q, q, 0}),
		line(StepB, "2q²k", operation{pptrs, q, q, k}),
		line(StepWeights, "4cqk", operation{gemmNN, q, c, k}, operation{gemmTN, k, c, q}),
		line(StepD, "2qk(l-q)", operation{gemmNT, left, q, k}),
		// Beside the product the norm of A⁺ is taken twice, and half of the rows move up, for all one knows.
		line(StepPseudoinverse, "2qk(l-q)", operation{stream, 0, 3 * s.L * k, 0}, operation{gemmNN, left, k, q}),
	}
}
