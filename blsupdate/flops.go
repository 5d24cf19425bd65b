package blsupdate

import "blskernel"

// A Step is one line of an algorithm, named by what it computes.
type Step string

// The steps of an update by added rows, in the order in which the paper has them.
const (
	StepD             Step = "D' = Ax A+"
	StepC             Step = "C = Ax' - A'D"
	StepDbar          Step = "Dbar = A+ D"
	StepInner         Step = "inner product"
	StepRank          Step = "singular values of C"
	StepInverse       Step = "inverse"
	StepB             Step = "B"
	StepRefine        Step = "refinement of B"
	StepDAgain        Step = "D' again"
	StepPseudoinverse Step = "A+ - B D'"
	StepWeights       Step = "W + B (Ya - Ax W)"
)

// The steps of the start from the first rows.
const (
	StepGram    Step = "A'A + lambda I"
	StepFactor  Step = "factorization"
	StepStart   Step = "A+"
	StepInitial Step = "W = A+ Y"
)

// A Shape holds the sizes that the flops of an update depend on.
type Shape struct {
	L int // samples before the update
	K int // nodes
	Q int // samples added
	C int // targets

	Again   int  // rows of D computed twice, for want of workspace
	CheckC  bool // whether C is computed
	RankC   int  // its rank; B = (C⁺)ᵀ if that is Q
	Refined bool // whether B is refined, since the new rows are large
	Split   bool // whether the batch is then added in two parts, updates of their own

	LargeTried bool // whether it is split because the form Large was found to be inaccurate
}

// StepFlops is a line of the flop model.
type StepFlops struct {
	Step    Step
	Formula string // the flops in terms of l, k, q, c
	count   thirds
}

// Flops returns the flops of the step.
func (s StepFlops) Flops() float64 { return s.count.flops() }

// Total returns the flops of all steps.
func Total(steps []StepFlops) float64 { return total(steps).flops() }

func total(steps []StepFlops) thirds {
	var sum thirds
	for _, s := range steps {
		sum += s.count
	}
	return sum
}

// Model returns the steps of one update with their flops, by the paper's convention: a product of
// an m×n with an n×p matrix takes 2mnp flops, and half where the result is known to be symmetric;
// the inverse of a symmetric matrix takes n³, of a general one 2n³; terms of lower order are
// dropped. Table 1 of the paper has the steps from Dbar to B. The form matters for Improved only;
// Auto and Paper stand for what they resolve to.
func Model(m Method, form Form, s Shape) []StepFlops {
	l, k, q, c := s.L, s.K, s.Q, s.C
	steps := []StepFlops{{StepD, "2qkl", gemm(q, k, l)}}
	if s.CheckC {
		steps = append(steps, StepFlops{StepC, "2qkl", gemm(q, k, l)})
	}
	steps = append(steps, StepFlops{StepDbar, "2qkl", gemm(q, k, l)})
	if s.CheckC {
		steps = append(steps, StepFlops{StepRank, "14 max(q,k) min(q,k)² + 8 min(q,k)³", svd(q, k)})
	}
	if m == Improved && (form == Auto || form == Paper) {
		form = form.Resolve(q, k)
	}
	switch {
	case s.Split && s.LargeTried:
		return append(steps, StepFlops{StepInner, "2k²q", gemm(k, k, q)}, StepFlops{StepInverse, "2k³/3", 2 * cube(k)})
	case s.Split:
		if s.RankC > 0 {
			steps = append(steps, StepFlops{StepRank, "2 max(q,k) min(q,k)² - 2 min(q,k)³/3", qr(q, k)})
		}
		if s.RankC == 0 || m == Original {
			steps = append(steps, innerSmall(m, s))
		}
		return steps
	case s.RankC > 0:
		if m == Original { // which has DᵀD before C is known
			steps = append(steps, innerSmall(m, s))
		}
		steps = append(steps, StepFlops{StepB, "2q²k", gemm(q, q, k)})
	case m == Improved && form == Large:
		steps = append(steps,
			StepFlops{StepInner, "2k²q", gemm(k, k, q)},
			StepFlops{StepInverse, "2k³", 6 * cube(k)},
			StepFlops{StepB, "2k²q", gemm(k, k, q)})
	default:
		steps = append(steps, innerSmall(m, s),
			StepFlops{StepInverse, "q³", 3 * cube(q)},
			StepFlops{StepB, "2q²k", gemm(q, q, k)})
		if s.Refined {
			steps = append(steps, StepFlops{StepRefine, "4q²k", 2 * gemm(q, q, k)})
		}
	}
	if s.Again > 0 {
		steps = append(steps, StepFlops{StepDAgain, "2qkr, r rows computed twice", gemm(q, k, s.Again)})
	}
	return append(steps,
		StepFlops{StepPseudoinverse, "2qkl", gemm(q, k, l)},
		StepFlops{StepWeights, "4cqk", 2 * gemm(c, q, k)})
}

// merge adds models up, step by step in the order of the steps.
func merge(models [][]StepFlops) []StepFlops {
	var sum []StepFlops
	for _, step := range []Step{StepD, StepC, StepDbar, StepRank, StepInner, StepInverse, StepB, StepRefine, StepDAgain, StepPseudoinverse, StepWeights} {
		var total StepFlops
		for _, model := range models {
			for _, s := range model {
				switch {
				case s.Step != step:
				case total.Step == "":
					total = s
				default:
					total.count += s.count
					total.Formula = "sum over the parts of the batch"
				}
			}
		}
		if total.Step != "" {
			sum = append(sum, total)
		}
	}
	return sum
}

// innerSmall is the symmetric q×q inner product: DᵀD in Original, Ax Dbar in Improved.
func innerSmall(m Method, s Shape) StepFlops {
	if m == Original {
		return StepFlops{StepInner, "q²l", gemm(s.Q, s.Q, s.L) / 2}
	}
	return StepFlops{StepInner, "q²k", gemm(s.Q, s.Q, s.K) / 2}
}

// A Start is a way to the first A⁺.
type Start int

const (
	// StartCholesky solves with the Cholesky factor of AᵀA + lambda I. Its error grows like eps κ².
	StartCholesky Start = iota
	// StartQR is A⁺ = R⁻¹Qᵀ by a Householder QR of A, or of A above sqrt(lambda) I. Its error grows
	// like eps κ.
	StartQR
	// StartSVD is the truncated singular value decomposition, for A of rank below k: of R where
	// l >= k, of A where l < k.
	StartSVD
)

// String returns the name of s in lower case.
func (s Start) String() string { return name([]string{"cholesky", "qr", "svd"}, int(s), "Start") }

// InitialModel returns the steps of the start from l rows with their flops, by the convention of Model.
// The rank of A matters for StartSVD only.
func InitialModel(start Start, ridge bool, rank, l, k, c int) []StepFlops {
	weights := StepFlops{StepInitial, "2lkc", gemm(l, k, c)}
	rows, formula := l, "4lk² - 4k³/3"
	if ridge {
		rows, formula = l+k, "4(l+k)k² - 4k³/3"
	}
	switch {
	case start == StartCholesky:
		return []StepFlops{
			{StepGram, "k²l", gemm(k, k, l) / 2},
			{StepFactor, "k³/3", cube(k)},
			{StepStart, "2k²l", gemm(k, k, l)}, weights}
	case start == StartQR:
		return []StepFlops{
			{StepFactor, formula, 2 * qr(rows, k)},
			{StepStart, "k²l", gemm(k, k, l) / 2}, weights}
	case l >= k:
		return []StepFlops{
			{StepFactor, formula + " + 22k³", 2*qr(rows, k) + svd(k, k)},
			{StepStart, "2k²r + 2lk²", gemm(k, k, rank) + gemm(l, k, k)}, weights}
	default:
		return []StepFlops{
			{StepFactor, "14kl² + 8l³", svd(l, k)},
			{StepStart, "2lkr", gemm(l, k, rank)}, weights}
	}
}

func cube(n int) thirds { return thirds(n) * thirds(n) * thirds(n) }

// gemm is the count of an m×k with a k×n product, 2mnk.
func gemm(m, n, k int) thirds { return 6 * thirds(m) * thirds(n) * thirds(k) }

// qr is the count of the Householder QR of an m×n or n×m matrix, 2mn² - 2n³/3 for m >= n, and that of
// forming its thin Q.
func qr(m, n int) thirds { return gemm(m, n, min(m, n)) - 2*cube(min(m, n)) }

// svd is the count of a thin singular value decomposition with both sets of vectors.
func svd(m, n int) thirds {
	if m < n {
		m, n = n, m
	}
	return 42*thirds(m)*thirds(n)*thirds(n) + 24*cube(n)
}

// routineFlops returns the count of a LAPACK-level routine. Those of lower order count nothing.
func routineFlops(r blskernel.Routine) thirds {
	switch r.Name {
	case "Dpptrf", "Dsptrf", "Dpotrf", "Dtrtri":
		return cube(r.N)
	case "Dpptri", "Dsptri", "Dpotri", "Dgetrf":
		return 2 * cube(r.N)
	case "Dgetri":
		return 4 * cube(r.N)
	case "Dpptrs", "Dsptrs", "Dpotrs", "Dgetrs":
		return gemm(r.N, r.N, r.NRHS)
	case "Dtrtrs":
		return gemm(r.N, r.N, r.NRHS) / 2
	case "Dgeqrf", "Dorgqr", "Dgeqp3":
		return qr(r.M, r.N)
	case "Dormqr":
		return 2*gemm(r.M, r.N, r.NRHS) - gemm(r.N, r.N, r.NRHS)
	case "Dtpqrt":
		return gemm(r.M, r.N, r.N) + 2*gemm(r.M, r.N, r.NRHS)
	case "Dttqrt":
		return 2*cube(r.N) + gemm(r.N, r.N, r.NRHS)
	case "Dgesvd":
		return svd(r.M, r.N)
	default:
		return 0
	}
}
