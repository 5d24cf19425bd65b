package blsupdate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"blskernel/internal/backend"
)

// A Choice is the method that Plan recommends, and how it compares with the others.
type Choice struct {
	Method  Method
	Options Options // for New: Lambda, Form, Solve and Backend are set
	Seconds float64 // predicted for all batches and solutions for the weights, without the start

	// Candidates has all methods in all forms: those that are valid first, the fastest before the others.
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

	// Power is that of the condition number κ with which the error of W grows, eps κ or eps κ². Digits is the
	// number of decimal digits of W that the bound leaves, as in Condition; NaN where κ is not known.
	Power  int
	Digits float64

	// WhyNot says why the candidate is not valid, and is empty if it is.
	WhyNot string
}

// Valid tells whether the candidate does all that is needed.
func (c Candidate) Valid() bool { return c.WhyNot == "" }

// tie is the relative difference of predicted times up to which the more accurate method is preferred: about the
// error of a prediction.
const tie = 0.03

// Plan returns the method, and its form, that learns batches of q rows in the least time: from l samples of k nodes and
// c targets on, with the weights wanted as needs says. l is the number of samples before the first batch.
//
// The time is predicted from the flop model of every method (see Model), whose steps are lists of operations, and from
// the rates of each kind of operation on this machine at the sizes in question. A candidate must do all that is
// needed, must be able to start from l samples, must have the weights when they are wanted, and must keep to Memory and
// Digits. Original and Improved are candidates for lambda = 0 only: with a ridge theirs is not the solution of the
// ridge problem (see Options.Lambda). Of valid candidates whose times differ by less than 3 per cent the one with the
// slower growing error is chosen, and Original only where nothing else is valid. As long as l < k the new rows are taken
// to be in general position, so that they complete the row space of A, which for A⁺ is another and dearer update.
//
// The error is an *OptionError where a size or a need is out of range, a *PlanError where no candidate is valid, with
// a Choice that has the candidates and no method, or what RatesFor returns.
func Plan(q, k, l, c int, needs Needs) (Choice, error) {
	for _, size := range []struct {
		name  string
		value int
	}{{"q", q}, {"k", k}, {"l", l}, {"c", c}} {
		if size.value < 1 {
			return Choice{}, &OptionError{Option: size.name, Value: size.value, Want: "at least 1"}
		}
	}
	needs = needs.withDefaults()
	if err := needs.check(); err != nil {
		return Choice{}, err
	}
	rates := needs.Rates
	if rates == nil {
		var err error
		if rates, err = RatesFor(context.Background(), needs.Backend, nil); err != nil {
			return Choice{}, err
		}
	}
	choice := Choice{
		batches: batches{l: l, k: k, q: q, c: c, count: needs.Batches, atEnd: needs.WeightsAtEnd},
		needs:   needs, rates: rates,
	}
	for _, candidate := range candidates(needs) {
		if choice.consider(&candidate) {
			choice.Candidates = append(choice.Candidates, candidate)
		}
	}
	slices.SortStableFunc(choice.Candidates, func(a, b Candidate) int {
		return cmp.Or(-compareBools(a.Valid(), b.Valid()), cmp.Compare(a.Seconds, b.Seconds))
	})
	best, ok := choose(choice.Candidates)
	if !ok {
		return choice, &PlanError{Candidates: choice.Candidates}
	}
	choice.Method, choice.Options, choice.Seconds = best.Method, best.Options, best.Seconds
	return choice, nil
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// choose returns the best of the candidates, of which the valid ones come first, by time.
func choose(all []Candidate) (best Candidate, ok bool) {
	valid := all[:0:0]
	for _, c := range all {
		if c.Valid() {
			valid = append(valid, c)
		}
	}
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
	backend := backend.Or(n.Backend)
	var all []Candidate
	add := func(m Method, power int, opt Options) {
		opt.Lambda, opt.Backend = n.Lambda, backend
		all = append(all, Candidate{Method: m, Options: opt, Power: power})
	}
	add(Gram, 2, Options{})
	add(QR, 1, Options{})
	add(RidgeInverse, 2, Options{Form: Small})
	add(RidgeInverse, 2, Options{Form: Large})
	add(InverseCholesky, 1, Options{Form: Small})
	add(InverseCholesky, 1, Options{Form: Large})
	add(Improved, 1, Options{Form: Small, Solve: true})
	add(Improved, 1, Options{Form: Compressed, Solve: true})
	add(Improved, 2, Options{Form: Large, Solve: true})
	add(Original, 1, Options{})
	return all
}

// consider fills in what a candidate costs and why it is not valid. It reports whether it is a candidate at all: it is
// none where its form is another one for such batches, and where no model says what it costs.
func (p *Choice) consider(c *Candidate) bool {
	b, n := p.batches, p.needs
	if c.Options.Form == Compressed && b.q <= b.k {
		return false // it is Small
	}
	cost := predict(p.rates, c.Method, c.Options, b)
	if !cost.known {
		return false
	}
	c.Seconds, c.Flops = cost.seconds, cost.flops
	c.Memory = 8 * (stateNumbers(c.Method, c.Options, b) + cost.workspace)
	c.Digits = math.NaN()
	if n.Condition > 0 {
		c.Digits = digits(b.Total(), 1/n.Condition, c.Power)
	}
	c.WhyNot = p.whyNot(c)
	return true
}

// stateNumbers returns how many numbers the state of a method has after all batches.
func stateNumbers(m Method, opt Options, b batches) float64 {
	l, k, c := float64(b.Total()), float64(b.k), float64(b.c)
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
