package blsupdate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"blskernel/internal/backend"
)

// A Choice is the method that Plan recommends, and its comparison with the others.
type Choice struct {
	Method  Method
	Options Options // for New: Lambda, Form, Solve and Backend are set
	Seconds float64 // predicted for all batches and solutions for the weights, without the start

	// Candidates has all methods in all forms, valid ones first and then by time.
	Candidates []Candidate

	batches batches
	needs   Needs
	rates   *Rates
}

// A Candidate is a method in a form.
type Candidate struct {
	Method  Method
	Options Options

	Seconds float64 // predicted for all batches and solutions for the weights
	Flops   float64
	Memory  float64 // bytes of the state after the last batch, and of new storage of an update or solution

	// Power is that of the condition number κ in the error of W, eps κ or eps κ². Digits is the
	// number of decimal digits of W that the bound leaves, as in Condition, and NaN where κ is not
	// known.
	Power  int
	Digits float64

	// WhyNot says why the candidate is not valid, and is empty if it is.
	WhyNot string
}

// Valid reports whether the candidate meets all needs.
func (c Candidate) Valid() bool { return c.WhyNot == "" }

// A PlanError says that no method meets all needs.
type PlanError struct {
	Candidates []Candidate // with the reasons
}

// Error lists the reasons.
func (e *PlanError) Error() string {
	var reasons []string
	for _, c := range e.Candidates {
		reasons = append(reasons, c.name()+": "+c.WhyNot)
	}
	return "blsupdate: no method does all that is needed: " + strings.Join(reasons, "; ")
}

// tie is the relative difference of predicted times, about the error of a prediction, up to which the
// more accurate method is preferred.
const tie = 0.03

// Plan returns the method and form that learns batches of q rows in the least time, after l samples of
// k nodes and c targets, with the weights wanted as needs says.
//
// It predicts times from the flop model of every method (see Model) and the rates of this machine. A
// candidate must support what is needed, start from l samples, have the weights when they are wanted,
// and keep to Memory and Digits. Original and Improved are candidates for lambda = 0 only, since with a
// ridge they only approximate the ridge solution. Of valid candidates within 3% of each other the one
// with the slower growing error wins; Original only where nothing else is valid. As long as l < k, new
// rows are taken to complete the row space of A, which for A⁺ is a dearer update.
//
//	errors: an *OptionError for a size or a need out of range; a *PlanError, with a Choice of the
//	candidates and no method, where none is valid; that of RatesFor.
func Plan(q, k, l, c int, needs Needs) (Choice, error) {
	for _, size := range []struct {
		name  string
		value int
	}{{"q", q}, {"k", k}, {"l", l}, {"c", c}} {
		if size.value < 1 {
			return Choice{}, &OptionError{Option: size.name, Value: size.value, Want: "at least 1"}
		}
	}
	needs.Batches, needs.Digits = cmp.Or(needs.Batches, 1), cmp.Or(needs.Digits, enoughDigits)
	if err := needs.check(); err != nil {
		return Choice{}, err
	}
	if needs.Rates == nil {
		var err error
		if needs.Rates, err = RatesFor(context.Background(), needs.Backend, nil); err != nil {
			return Choice{}, err
		}
	}
	choice := Choice{
		batches: batches{l: l, k: k, q: q, c: c, count: needs.Batches, atEnd: needs.WeightsAtEnd},
		needs:   needs, rates: needs.Rates,
	}
	for _, candidate := range candidates(needs) {
		if choice.consider(&candidate) {
			choice.Candidates = append(choice.Candidates, candidate)
		}
	}
	slices.SortStableFunc(choice.Candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(invalid(a), invalid(b)), cmp.Compare(a.Seconds, b.Seconds))
	})
	best, ok := choose(choice.Candidates)
	if !ok {
		return choice, &PlanError{Candidates: choice.Candidates}
	}
	choice.Method, choice.Options, choice.Seconds = best.Method, best.Options, best.Seconds
	return choice, nil
}

func invalid(c Candidate) int {
	if c.Valid() {
		return 0
	}
	return 1
}

// choose returns the best of the candidates, which are sorted.
func choose(all []Candidate) (best Candidate, ok bool) {
	valid := slices.DeleteFunc(slices.Clone(all), func(c Candidate) bool { return !c.Valid() })
	if others := slices.DeleteFunc(slices.Clone(valid), func(c Candidate) bool { return c.Method == Original }); len(others) > 0 {
		valid = others
	}
	if len(valid) == 0 {
		return Candidate{}, false
	}
	best = valid[0]
	for _, c := range valid[1:] {
		if c.Seconds <= (1+tie)*valid[0].Seconds && c.Power < best.Power {
			best = c
		}
	}
	return best, true
}

// candidates returns the methods in their forms.
func candidates(n Needs) []Candidate {
	all := []Candidate{
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
	for i := range all {
		all[i].Options.Lambda, all[i].Options.Backend = n.Lambda, backend.Or(n.Backend)
	}
	return all
}

// consider completes a candidate. It reports whether it is one: its form must be its own for such
// batches, and its cost known.
func (p *Choice) consider(c *Candidate) bool {
	b, n := p.batches, p.needs
	if c.Options.Form == Compressed && b.q <= b.k {
		return false // it is Small
	}
	predicted := predict(p.rates, c.Method, c.Options, b)
	if !predicted.known {
		return false
	}
	c.Seconds, c.Flops = predicted.seconds, predicted.flops
	c.Memory = 8 * (stateNumbers(c.Method, c.Options, b) + predicted.workspace)
	c.Digits = math.NaN()
	if n.Condition > 0 {
		c.Digits = digits(b.total(), 1/n.Condition, c.Power)
	}
	c.WhyNot = p.whyNot(c)
	return true
}

// whyNot returns why a candidate does not meet the needs, or an empty string.
func (p *Choice) whyNot(c *Candidate) string {
	b, n := p.batches, p.needs
	inverse := c.Method.HasInverse()
	for _, need := range n.actions() {
		if !Supports(c.Method, need) {
			return fmt.Sprintf("it has no %v", need)
		}
	}
	var rank *RankError
	first := b.firstWeights()
	switch err := CheckStart(c.Method, c.Options, b.l, b.k); {
	case n.Pseudoinverse && !inverse:
		return "it does not have A+"
	case inverse && n.Lambda > 0:
		return "for lambda > 0 it is not the solution of the ridge problem"
	case errors.As(err, &rank):
		return fmt.Sprintf("it cannot start from %d samples for %d nodes without a ridge", b.l, b.k)
	case b.l < b.k && n.Condition == 0 && c.Method == RidgeInverse:
		return "from fewer samples than nodes its error is that of eps ‖A‖²/lambda, and stays; give Condition to allow it"
	case inverse && n.Removal && n.Forgetting:
		return "it cannot remove rows after Forget"
	case (c.Method == Gram || c.Method == QR) && n.Lambda == 0 && first < b.k:
		return fmt.Sprintf("without a ridge it has no weights from %d samples for %d nodes", first, b.k)
	case n.Condition > 0 && c.Digits < n.Digits:
		return fmt.Sprintf("rounding leaves %.1f digits for sure, of %.3g wanted", c.Digits, n.Digits)
	case n.Memory > 0 && c.Memory > float64(n.Memory):
		return fmt.Sprintf("it takes %s of memory, of %s allowed", byteCount(c.Memory), byteCount(float64(n.Memory)))
	}
	return ""
}

// stateNumbers returns the numbers in the state of a method after all batches.
func stateNumbers(m Method, opt Options, b batches) float64 {
	l, k, c := float64(b.total()), float64(b.k), float64(b.c)
	switch m {
	case Gram:
		return k*(k+1) + 2*k*c // the factor beside G, and W beside T
	case RidgeInverse:
		return k*(k+1)/2 + k*c
	case QR:
		return k*k + 2*k*c
	case InverseCholesky:
		return k*k + k*c
	default:
		numbers := l*k + k*c
		if opt.C == CCheck || opt.C == CAuto && b.l < b.k { // A is kept as long as its rank is below k
			numbers += min(l, k) * k
		}
		return numbers
	}
}
