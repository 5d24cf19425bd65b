package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
	"blskernel/bls"
)

// setting is what two runs of a table have to have in common for their rows to be of the same
// experiment.
type setting struct {
	table                                   int
	data                                    string
	scale, lambda, shrink                   float64
	initial, batch, updates, nodes, targets int
	heldOut                                 int
	whitening                               string
}

func settingOf(h bench.TableHead) setting {
	s := setting{
		table: h.Table, data: h.Data, scale: h.Scale, lambda: h.Lambda, shrink: h.Shrink,
		initial: h.Initial, batch: h.Batch, updates: h.Updates, nodes: h.Nodes, targets: h.Targets,
		heldOut: h.HeldOut,
	}
	if h.Whitened {
		s.whitening = cmp.Or(h.Whitening, bench.ReferenceWhitening)
	}
	return s
}

// paperLambda is the ridge of the paper's tables.
const paperLambda = 0x1p-30

// full tells whether the table is as large as the paper's.
func (s setting) full() bool { return s.scale == 1 || s.scale == 0 }

// paperData returns the data of the paper's table.
func (s setting) paperData() string {
	t, _ := bench.LookupPaperTable(s.table)
	return t.Data
}

// random tells whether the samples are random images of the size of the paper's, which do for times
// alone.
func (s setting) random() bool { return s.data == bench.RandomImages && s.paperData() == bench.NORB }

// sameTask tells whether what is learned and tested is what the paper has: then accuracies can be
// compared with its own, by whatever recipe they were reached.
func (s setting) sameTask() bool { return s.full() && s.heldOut == 0 && s.data == s.paperData() }

// paperRecipe tells whether the ridge, the scale and the treatment of the samples are the paper's.
func (s setting) paperRecipe() bool {
	return (s.lambda == 0 || s.lambda == paperLambda) && (s.shrink == 0 || s.shrink == bls.DefaultShrink) && s.whitening == ""
}

// asInPaper tells whether the run is the paper's, so that its times can be held against the paper's:
// the same sizes and recipe, and the same data or random images of its size.
func (s setting) asInPaper() bool {
	return s.full() && s.heldOut == 0 && (s.data == s.paperData() || s.random()) && s.paperRecipe()
}

// name names the table, with what is not as in the paper.
func (s setting) name() string { return fmt.Sprintf("Table %d", s.table) + s.suffix() }

// suffix is what is not as in the paper.
func (s setting) suffix() string {
	name := ""
	if !s.full() {
		name += " at scale " + short(s.scale)
	}
	if s.data != s.paperData() {
		name += map[string]string{
			bench.MNIST: " on MNIST", bench.NORB: " on small NORB", bench.SyntheticDigits: " on synthetic digits", bench.RandomImages: " on random images",
		}[s.data]
	}
	if s.lambda != 0 && s.lambda != paperLambda {
		name += ", lambda = " + ridge(s.lambda)
	}
	if s.shrink != 0 && s.shrink != bls.DefaultShrink {
		name += ", s = " + short(s.shrink)
	}
	if s.whitening != "" {
		name += ", whitened (" + s.whitening + ")"
	}
	if s.heldOut > 0 {
		name += fmt.Sprintf(", tested on %d training samples", s.heldOut)
	}
	return name
}

// title says what the table has: the data, where the name does not, and the sizes.
func (s setting) title() string {
	title := bench.PaperTable{Table: s.table, Data: s.paperData(), Nodes: s.nodes, Initial: s.initial, Batch: s.batch, Updates: s.updates}.TitleOn(s.data)
	if _, sizes, ok := strings.Cut(title, ", "); ok && s.data != s.paperData() {
		return sizes
	}
	return title
}

// caution says what accuracies on other data than the paper's are not, or nothing.
func (s setting) caution() string {
	if s.data == bench.SyntheticDigits {
		return " These digits are drawn by a program and are not MNIST: their accuracies say nothing about it."
	}
	return ""
}

// paperForm returns the form of Improved that the paper's times are of: the one that it prescribes, but
// for Table 7, where it is that of q ≤ k although q is larger.
func (s setting) paperForm() string {
	if s.batch > s.nodes && s.table != 7 {
		return "large"
	}
	return "small"
}

// ridge writes a power of two as such.
func ridge(lambda float64) string {
	if mantissa, exponent := math.Frexp(lambda); mantissa == 0.5 && exponent <= -3 {
		return fmt.Sprintf("2^%d", exponent-1)
	}
	return short(lambda)
}
