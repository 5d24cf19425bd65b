package bench

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"blskernel/bls"
	"blskernel/dataset"
)

// Validate returns what is wrong with the settings, or nil. What an Incremental looks at, the sets and
// the sizes, is left to its own Validate, which Run calls for every seed before it begins.
func (p *Paper) Validate() error {
	switch n := len(p.Variants); {
	case p.Train == nil:
		return errors.New("bench: Train is nil; want the training set of the table")
	case n == 0:
		return errors.New("bench: Variants is empty; want at least one")
	case p.Planner < -1 || p.Planner >= n:
		return fmt.Errorf("bench: Planner is %d of %d variants; want an index, or -1 for none", p.Planner, n)
	case p.Repeat < 0 || p.Repeat >= n:
		return fmt.Errorf("bench: Repeat is %d of %d variants; want an index", p.Repeat, n)
	case len(p.Seeds) == 0:
		return errors.New("bench: Seeds is empty; want at least one")
	}
	for i, v := range p.Variants {
		if slices.Contains(p.Variants[:i], v) {
			return fmt.Errorf("bench: Variants has %v twice", v)
		}
	}
	for i, seed := range p.Seeds {
		if slices.Contains(p.Seeds[:i], seed) {
			return fmt.Errorf("bench: Seeds has %d twice", seed)
		}
	}
	return nil
}

// Head returns the settings of a run that Validate has nothing against.
func (p *Paper) Head() TableHead {
	t := p.Table
	h := TableHead{
		Table: t.Table, Title: t.TitleOn(p.Data), Data: p.Data, Scale: p.Scale,
		Initial: t.Initial, Batch: t.Batch, Updates: t.Updates, Nodes: t.Nodes, Targets: p.Train.Classes,
		Lambda: p.Update.Lambda, Shrink: cmp.Or(p.Shrink, bls.DefaultShrink), HeldOut: p.HeldOut, Whitened: p.Whitening != nil,
		Repeat: p.Variants[p.Repeat].String(), Seeds: p.Seeds,
	}
	if p.Planner >= 0 {
		h.Planner = p.Variants[p.Planner].String()
	}
	if p.Whitening != nil {
		h.Whitening = whiteningName(*p.Whitening)
	}
	for _, v := range p.Variants {
		h.Methods = append(h.Methods, v.String())
	}
	return h
}

// whiteningName names the constants of a whitening.
func whiteningName(opt dataset.ZCAOptions) string {
	rows, values := cmp.Or(opt.RowConstant, dataset.ZCARows), cmp.Or(opt.EigenvalueConstant, dataset.ZCAValues)
	switch {
	case rows == dataset.ZCARows && values == dataset.ZCAValues:
		return ReferenceWhitening
	case rows == dataset.ZCAUnitRows && values == dataset.ZCAUnitValues:
		return UnitWhitening
	default:
		return OtherWhitening
	}
}

// SameExperiment tells whether rows of a run with the settings h continue one with the settings other:
// whether they are the same but for the seeds after the first. Planner is not looked at: what the
// planner would choose may change, and the methods that were run do not.
func (h TableHead) SameExperiment(other TableHead) bool {
	return h.SameSettings(other) && h.Lambda == other.Lambda && h.Shrink == other.Shrink &&
		slices.Equal(h.Methods, other.Methods) && h.Repeated() == other.Repeated()
}

// SameSettings is SameExperiment for runs that may have other methods, lambdas and shrinks, as those of
// a search for the best of these have.
func (h TableHead) SameSettings(other TableHead) bool {
	return len(h.Seeds) > 0 && len(other.Seeds) > 0 && h.Seeds[0] == other.Seeds[0] &&
		h.Table == other.Table && h.Data == other.Data && h.Scale == other.Scale &&
		h.Initial == other.Initial && h.Batch == other.Batch && h.Updates == other.Updates && h.Nodes == other.Nodes &&
		h.Targets == other.Targets && h.HeldOut == other.HeldOut && h.whitening() == other.whitening()
}

// whitening returns Whitening, which files written before it was kept do not have.
func (h TableHead) whitening() string {
	if h.Whitened {
		return cmp.Or(h.Whitening, ReferenceWhitening)
	}
	return ""
}
