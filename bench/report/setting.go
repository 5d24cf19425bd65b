package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"blskernel/bench"
	"blskernel/bls"
)

// A setting is what two runs of a table have in common if their rows are of the same experiment.
type setting struct {
	table                                   int
	data                                    string
	scale, lambda, shrink                   float64
	initial, batch, updates, nodes, targets int
	whitening                               string // by which constants, "" for none
}

func settingOf(h bench.TableHead) setting {
	s := setting{
		table: h.Table, data: h.Data, scale: cmp.Or(h.Scale, 1), lambda: cmp.Or(h.Lambda, paperLambda),
		shrink: cmp.Or(h.Shrink, bls.DefaultShrink), initial: h.Initial, batch: h.Batch, updates: h.Updates,
		nodes: h.Nodes, targets: h.Targets,
	}
	if h.Whitened {
		s.whitening = cmp.Or(h.Whitening, bench.ReferenceWhitening)
	}
	return s
}

// paperLambda is the ridge of the paper's tables.
const paperLambda = 0x1p-30

// full reports whether the table is as large as the paper's.
func (s setting) full() bool { return s.scale == 1 }

// paperData returns the data of the paper's table.
func (s setting) paperData() string {
	t, _ := bench.LookupPaperTable(s.table)
	return t.Data
}

// sameTask reports whether accuracies compare with the paper's, by whatever recipe they were reached.
func (s setting) sameTask() bool { return s.full() && s.data == s.paperData() }

// paperRecipe reports whether the ridge, the scale and the treatment of the samples are the paper's.
func (s setting) paperRecipe() bool {
	return s.lambda == paperLambda && s.shrink == bls.DefaultShrink && s.whitening == ""
}

// asInPaper reports whether times compare with the paper's: the sizes and the recipe are the same, and
// the data are the same or random images of their size, which serve for times alone.
func (s setting) asInPaper() bool {
	random := s.data == bench.RandomImages && s.paperData() == bench.NORB
	return s.full() && (random || s.sameTask()) && s.paperRecipe()
}

// paperForm returns the form of Improved of the paper's times: the one that its rule prescribes, but
// for Table 7, where it is that of q ≤ k although q is larger.
func (s setting) paperForm() string {
	if s.batch > s.nodes && s.table != 7 {
		return "large"
	}
	return "small"
}

// name returns the table, with what differs from the paper.
func (s setting) name() string { return fmt.Sprintf("Table %d", s.table) + s.suffix() }

// suffix returns what differs from the paper.
func (s setting) suffix() string {
	name := ""
	if !s.full() {
		name += " at scale " + short(s.scale)
	}
	if s.data != s.paperData() {
		data, _, _ := strings.Cut(bench.PaperTable{}.TitleOn(s.data), ",")
		name += " on " + data
	}
	if s.lambda != paperLambda {
		name += ", lambda = " + ridge(s.lambda)
	}
	if s.shrink != bls.DefaultShrink {
		name += ", s = " + short(s.shrink)
	}
	if s.whitening != "" {
		name += ", whitened (" + s.whitening + ")"
	}
	return name
}

// title returns the data and the sizes, as a sentence.
func (s setting) title() string {
	t := bench.PaperTable{Nodes: s.nodes, Initial: s.initial, Batch: s.batch, Updates: s.updates}
	title := t.TitleOn(s.data) + "."
	if s.data == bench.SyntheticDigits {
		title += " A program draws these digits; their accuracies say nothing about MNIST."
	}
	return title
}

// ridge writes a power of two as such.
func ridge(lambda float64) string {
	if mantissa, exponent := math.Frexp(lambda); mantissa == 0.5 && exponent <= -3 {
		return fmt.Sprintf("2^%d", exponent-1)
	}
	return short(lambda)
}
