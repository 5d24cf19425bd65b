package blsupdate

// The steps of the start from the first rows.
const (
	StepGram    Step = "A'A + lambda I"
	StepFactor  Step = "factorization"
	StepStart   Step = "A+"
	StepInitial Step = "W = A+ Y"
)

// pseudoinverseStartModel has the steps of the start from the first rows.
func pseudoinverseStartModel(opt Options, s Shape) []StepFlops {
	l, k, c := s.L, s.K, s.C
	weights := line(StepInitial, "2lkc", operation{gemmTN, k, c, l})
	rows, formula := l, "4lk² - 4k³/3"
	if opt.Lambda > 0 {
		rows, formula = l+k, "4(l+k)k² - 4k³/3"
	}
	switch {
	case s.Start == StartCholesky:
		return []StepFlops{
			line(StepGram, "k²l", operation{sprk, 0, k, l}),
			line(StepFactor, "k³/3", operation{pptrf, k, k, 0}),
			line(StepStart, "2k²l", operation{pptrs, k, k, l}), weights}
	case s.Start == StartQR:
		return []StepFlops{
			line(StepFactor, formula, operation{geqrf, rows, k, 0}, operation{orgqr, rows, k, 0}),
			line(StepStart, "k²l", operation{trtrs, k, k, l}), weights}
	case l >= k:
		return []StepFlops{
			line(StepFactor, formula+" + 22k³", operation{geqrf, rows, k, 0}, operation{orgqr, rows, k, 0}, operation{gesvd, k, k, 0}),
			line(StepStart, "2k²r + 2lk²", operation{gemmNT, k, k, s.Rank}, operation{gemmNN, l, k, k}), weights}
	default:
		return []StepFlops{
			line(StepFactor, "14kl² + 8l³", operation{gesvd, l, k, 0}),
			line(StepStart, "2lkr", operation{gemmNT, l, k, s.Rank}), weights}
	}
}
