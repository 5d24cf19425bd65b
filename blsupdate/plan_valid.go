package blsupdate

import (
	"errors"
	"fmt"
	"strings"
)

// whyNot returns why a candidate does not do what is needed, or an empty string.
func (p *Choice) whyNot(c *Candidate) string {
	b, n := p.batches, p.needs
	inverse := c.Method == Original || c.Method == Improved
	for _, action := range n.actions() {
		if !Supports(c.Method, action) {
			return fmt.Sprintf("it has no %v", action)
		}
	}
	if n.Pseudoinverse && !inverse {
		return "it does not have A+"
	}
	if inverse && n.Lambda > 0 {
		return "for lambda > 0 it is not the solution of the ridge problem"
	}
	var rank *RankError
	if err := CheckStart(c.Method, c.Options, b.l, b.k); errors.As(err, &rank) {
		return fmt.Sprintf("it cannot start from %d samples for %d nodes without a ridge", b.l, b.k)
	}
	if b.l < b.k && n.Condition == 0 && c.Method == RidgeInverse {
		return "from fewer samples than nodes its error is that of eps ‖A‖²/lambda, and stays; give Condition to allow it"
	}
	if inverse && n.Removal && n.Forgetting {
		return "it cannot remove rows after Forget"
	}
	if first := b.firstWeights(); (c.Method == Gram || c.Method == QR) && n.Lambda == 0 && first < b.k {
		return fmt.Sprintf("without a ridge it has no weights from %d samples for %d nodes", first, b.k)
	}
	if n.Condition > 0 && c.Digits < n.Digits {
		return fmt.Sprintf("rounding leaves %.1f digits for sure, of %.3g wanted", c.Digits, n.Digits)
	}
	if n.Memory > 0 && c.Memory > float64(n.Memory) {
		return fmt.Sprintf("it takes %s of memory, of %s allowed", byteCount(c.Memory), byteCount(float64(n.Memory)))
	}
	return ""
}

// firstWeights returns the number of samples at which weights are first wanted.
func (b batches) firstWeights() int {
	if b.atEnd {
		return b.Total()
	}
	return b.l + b.q
}

// PlanError says that no method does all that is needed.
type PlanError struct {
	Candidates []Candidate // with the reasons
}

func (e *PlanError) Error() string {
	var reasons []string
	for _, c := range e.Candidates {
		reasons = append(reasons, c.name()+": "+c.WhyNot)
	}
	return "blsupdate: no method does all that is needed: " + strings.Join(reasons, "; ")
}
