package blsupdate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/detmath"
)

// Needs describes the intended use of a model. The zero value stands for one batch, with the weights
// needed after it, lambda = 0 and the default backend.
type Needs struct {
	// Lambda is the ridge.
	Lambda float64
	// Batches is the number of batches to come; 0 stands for 1.
	Batches int
	// WeightsAtEnd means that the weights are needed only once, after all batches.
	WeightsAtEnd bool

	// Further uses: calls of RemoveInputs, Merge, SetLambda, AddNodes and Forget, in the order of
	// the fields, and access to A⁺, which only a Pseudoinverter gives.
	Removal, Merging, RidgeChange, Nodes, Forgetting, Pseudoinverse bool

	// Condition is the largest 2-norm condition number κ of [A; sqrt(lambda) I] at any time. A
	// method is not valid if its error bound leaves fewer than Digits correct decimal digits of W.
	// 0 stands for an unknown κ, which rules out only RidgeInverse started with l < k.
	Condition float64
	// Digits is the number of decimal digits of W that are needed; 0 stands for 6.
	Digits float64

	// Memory bounds the predicted bytes of the state after the last batch plus the new storage of
	// an update or of solving for the weights; 0 means no bound.
	Memory int64

	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
	// Rates predict the times; they may be from another machine. nil stands for RatesFor(Backend):
	// the measured rates of this machine, or built-in ones until MeasureRates has been called. With
	// ConstantRates the choice depends on the arguments only.
	Rates *Rates
}

func (n Needs) check() error {
	switch {
	case n.Batches < 1:
		return &OptionError{Option: "Batches", Value: n.Batches, Want: "at least 1, or 0 for the default, 1"}
	case n.Condition != 0 && !(n.Condition >= 1):
		return &OptionError{Option: "Condition", Value: n.Condition, Want: "at least 1, or 0 if it is not known"}
	case !(n.Digits > 0 && n.Digits <= 16):
		return &OptionError{Option: "Digits", Value: n.Digits, Want: "a positive number up to 16, or 0 for the default, 6"}
	case n.Memory < 0:
		return &OptionError{Option: "Memory", Value: n.Memory, Want: "a positive number of bytes, or 0 for no bound"}
	}
	return checkLambda(n.Lambda)
}

// A Choice holds the method that Plan recommends, and its comparison with the other methods.
type Choice struct {
	Method  Method
	Options Options // for New: Lambda, Form, Solve and Backend are set
	Seconds float64 // the predicted time of all batches and of solving for the weights, without the start

	// Candidates lists all methods in all forms: first the valid ones except Original, then
	// Original if it is valid, then the invalid ones. Each of the three groups is sorted by time.
	Candidates []Candidate

	q, k, l, c int
	needs      Needs
}

// A Candidate is a method in one of its forms, with the predictions for it.
type Candidate struct {
	Method  Method
	Options Options

	Seconds float64 // the predicted time of all batches and of solving for the weights
	Flops   float64
	Memory  float64 // bytes of the state after the last batch, plus the new storage of an update or a solution

	// Power is the exponent of the condition number κ in the error of W. Digits is how many decimal
	// digits an error of 10 sqrt(l) eps κ^Power leaves, for the final l. It is NaN for unknown κ.
	Power  int
	Digits float64

	// WhyNot says why the candidate is not valid. It is empty for a valid candidate.
	WhyNot string
}

// Valid reports whether the candidate meets all needs.
func (c Candidate) Valid() bool { return c.WhyNot == "" }

// A PlanError reports that no method meets all needs.
type PlanError struct {
	Candidates []Candidate // all invalid, each with its WhyNot
}

func (e *PlanError) Error() string {
	var reasons []string
	for _, c := range e.Candidates {
		reasons = append(reasons, c.name()+": "+c.WhyNot)
	}
	return "blsupdate: no method meets all needs: " + strings.Join(reasons, "; ")
}

// tie is the relative difference in predicted times within which Plan prefers the more accurate method.
// Predictions are not more accurate than this.
const tie = 0.03

// Plan returns the method and form that learn batches of q rows in the least time. The model has k
// nodes and c targets, and starts from l samples; needs says when it must have weights.
//
// It takes milliseconds, and predicts times from the flop model of every method (see Model) and
// Needs.Rates. A candidate is valid if it supports the further uses in needs, can start from l samples,
// has the weights when they are needed, and meets Memory and Digits. Original and Improved are valid
// for lambda = 0 only, since with a ridge they only approximate the ridge solution. Among valid
// candidates within 3% of the fastest, one with an error of eps κ wins over one with eps κ²; Original
// wins only if nothing else is valid. While l < k, Plan assumes that new rows extend the row space of
// A, which makes updates of A⁺ more expensive.
//
//	errors: an *OptionError for a size or need out of range, with an empty Choice; a *PlanError if
//	no candidate is valid, with a Choice that has the candidates but no method.
func Plan(q, k, l, c int, needs Needs) (Choice, error) {
	for i, size := range []int{q, k, l, c} {
		if size < 1 {
			return Choice{}, &OptionError{Option: string("qklc"[i]), Value: size, Want: "at least 1"}
		}
	}
	needs.Batches, needs.Digits = cmp.Or(needs.Batches, 1), cmp.Or(needs.Digits, enoughDigits)
	needs.Backend = backend.Or(needs.Backend)
	if err := needs.check(); err != nil {
		return Choice{}, err
	}
	if most := (math.MaxInt - l) / q; needs.Batches > most {
		return Choice{}, &OptionError{Option: "Batches", Value: needs.Batches, Want: fmt.Sprintf("at most %d batches of %d rows", most, q)}
	}
	if needs.Rates == nil {
		needs.Rates = RatesFor(needs.Backend)
	}
	p := Choice{q: q, k: k, l: l, c: c, needs: needs}
	for _, x := range candidates {
		if x.Options.Form == Compressed && q <= k {
			continue // the same as Small
		}
		x.Options.Lambda, x.Options.Backend = needs.Lambda, needs.Backend
		if p.predict(&x) {
			x.WhyNot = p.whyNot(&x)
			p.Candidates = append(p.Candidates, x)
		}
	}
	slices.SortStableFunc(p.Candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Seconds, b.Seconds))
	})
	best, ok := choose(p.Candidates)
	if !ok {
		return p, &PlanError{Candidates: p.Candidates}
	}
	p.Method, p.Options, p.Seconds = best.Method, best.Options, best.Seconds
	return p, nil
}

var candidates = []Candidate{
	{Method: Gram, Power: 2},
	{Method: QR, Power: 1},
	{Method: RidgeInverse, Power: 2, Options: Options{Form: Small}},
	{Method: RidgeInverse, Power: 2, Options: Options{Form: Large}},
	{Method: InverseCholesky, Power: 1, Options: Options{Form: Small}},
	{Method: InverseCholesky, Power: 1, Options: Options{Form: Large}},
	{Method: Improved, Power: 1, Options: Options{Form: Small, Solve: true}},
	{Method: Improved, Power: 1, Options: Options{Form: Compressed, Solve: true}},
	{Method: Improved, Power: 2, Options: Options{Form: Large, Solve: true}},
	{Method: Original, Power: 1},
}

// rank returns 0 for a valid candidate except Original, 1 for a valid Original, 2 for an invalid one.
func (c Candidate) rank() int {
	switch {
	case !c.Valid():
		return 2
	case c.Method == Original:
		return 1
	}
	return 0
}

func choose(all []Candidate) (best Candidate, ok bool) {
	if len(all) == 0 {
		return best, false
	}
	best = all[0]
	for _, c := range all[1:] {
		if c.rank() == best.rank() && c.Seconds <= (1+tie)*all[0].Seconds && c.Power < best.Power {
			best = c
		}
	}
	return best, best.Valid()
}

// maxSegments bounds the number of segments into which predict divides the batches.
const maxSegments = 64

// predict sets the time, flops, memory and digits of x. Time and flops are totals over all batches and
// solutions, and predict reports whether the flop model covers them all. Updates of Original and
// Improved cost more as rows accumulate, so predict divides the batches into segments, and takes the
// mean of the first and last batch of each segment. For flops this is exact once l >= k.
func (p *Choice) predict(x *Candidate) (known bool) {
	known = true
	fresh := 0
	add := func(times float64, action Action, s Shape) {
		s.K, s.C = p.k, p.c
		steps := Model(x.Method, action, x.Options, s)
		known = known && steps != nil
		x.Seconds += float64(times * p.needs.Rates.Seconds(steps...))
		x.Flops += float64(times * Total(steps))
		storage := 0
		for _, step := range steps {
			for _, o := range step.line.Work {
				if o.Kind == cost.Fresh {
					storage += o.N * max(1, o.Times)
				}
			}
		}
		fresh = max(fresh, storage)
	}
	count, segments := p.needs.Batches, 1
	if keepsInverse(x.Method) {
		segments = min(count, maxSegments)
	}
	from := func(s int) int { // s*count/segments, where s*count may overflow
		return s*(count/segments) + s*(count%segments)/segments
	}
	for s := range segments {
		first, last := from(s), from(s+1)-1
		for _, i := range []int{first, last} {
			add(float64(last-first+1)/2, ActionAdd, Shape{L: p.l + i*p.q, Q: p.q})
		}
	}
	if x.Method == Gram || x.Method == QR { // the others have the weights at any time
		if p.needs.WeightsAtEnd {
			count = 1
		}
		add(float64(count), ActionWeights, Shape{L: p.total()})
	}
	x.Memory = p.stateBytes(x) + float64(8*float64(fresh))
	if keepsInverse(x.Method) && p.first() < p.k { // the rank has grown, and A⁺ was not recomputed
		x.Power = 2
	}
	x.Digits = math.NaN()
	if p.needs.Condition > 0 {
		x.Digits = digits(10 * dense.Eps * math.Sqrt(float64(p.total())) * detmath.Pow(p.needs.Condition, x.Power))
	}
	return known
}

func (p *Choice) total() int { return p.l + p.needs.Batches*p.q }

// first returns the number of samples at which weights are first needed.
func (p *Choice) first() int {
	if p.needs.WeightsAtEnd {
		return p.total()
	}
	return p.l + p.q
}

func (p *Choice) stateBytes(x *Candidate) float64 {
	bytes := float64(StateBytes(x.Method, p.total(), p.k, p.c))
	switch {
	case x.Method == Gram:
		bytes *= 2 // G and its factor, T and W
	case x.Method == QR:
		bytes += float64(8 * float64(p.k) * float64(p.c)) // z and W
	case keepsInverse(x.Method) && p.l < p.k: // A is kept while its rank is below k
		bytes += float64(8 * float64(min(p.total(), p.k)) * float64(p.k))
	}
	return bytes
}

// maxForNodes is about the condition number above which QR and InverseCholesky refuse to add nodes.
// They use columns scaled to the same norm; Needs.Condition may be for unscaled columns.
const maxForNodes = 1e7

func (p *Choice) whyNot(x *Candidate) string {
	n := p.needs
	inverse := keepsInverse(x.Method)
	for _, need := range []struct {
		wanted bool
		action Action
	}{
		{n.Removal, ActionRemove}, {n.Merging, ActionMerge}, {n.RidgeChange, ActionRidge},
		{n.Nodes, ActionNodes}, {n.Forgetting, ActionForget},
	} {
		if need.wanted && !Supports(x.Method, need.action) {
			return fmt.Sprintf("it does not support %v", need.action)
		}
	}
	first := p.first()
	var rank *RankError
	switch err := CheckStart(x.Method, x.Options, p.l, p.k); {
	case n.Pseudoinverse && !inverse:
		return "it does not keep A+"
	case inverse && n.Lambda > 0:
		return "for lambda > 0 it only approximates the solution of the ridge problem"
	case errors.As(err, &rank):
		return fmt.Sprintf("without a ridge, it cannot start from fewer samples (%d) than nodes (%d)", p.l, p.k)
	case p.l < p.k && n.Condition == 0 && x.Method == RidgeInverse:
		return "when started from fewer samples than nodes, it keeps an error of eps ‖A‖²/lambda; give a condition number, so that its digits can be predicted"
	case inverse && n.Removal && n.Forgetting:
		return "it cannot remove rows after Forget"
	case (x.Method == Gram || x.Method == QR) && n.Lambda == 0 && first < p.k:
		return fmt.Sprintf("without a ridge, fewer samples (%d) than nodes (%d) do not determine the weights", first, p.k)
	case n.Nodes && n.Condition > maxForNodes && (x.Method == QR || x.Method == InverseCholesky):
		return "it may refuse to add nodes at a condition number above 1e7"
	case n.Condition > 0 && x.Digits < n.Digits:
		return fmt.Sprintf("rounding leaves only %.1f reliable digits; %.3g are needed", x.Digits, n.Digits)
	case n.Memory > 0 && x.Memory > float64(n.Memory):
		return fmt.Sprintf("it needs %s of memory; the limit is %s", quantity(x.Memory, "B"), quantity(float64(n.Memory), "B"))
	}
	return ""
}
