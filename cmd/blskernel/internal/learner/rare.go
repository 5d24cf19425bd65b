package learner

import (
	"fmt"
	"strings"

	"blskernel/bls"
	"blskernel/cmd/blskernel/internal/ui"
)

// rareShare is the share of the rows below which a class is rare. With more than ten classes it is half
// of what each would have if all had the same.
const rareShare = 0.05

// maxRare is the number of rare classes that a note names.
const maxRare = 3

// warnOfRare prints a note if classes are rare among the rows learned so far and are not balanced.
func (l *Learner) warnOfRare() {
	m := l.Model
	if m.Classifier == nil || m.Classifier.ClassWeight == bls.Balanced {
		return
	}
	counts, total := m.Classifier.ClassCounts(), 0.0
	for _, n := range counts {
		total += n
	}
	var rare []string
	labels, others := m.Labels(), 0
	for class, n := range counts {
		switch {
		case n >= total*min(rareShare, 0.5/float64(len(counts))):
		case len(rare) == maxRare:
			others++
		default:
			rare = append(rare, fmt.Sprintf("%s (%.2g%%)", ui.Printable(labels[class]), 100*n/total))
		}
	}
	if len(rare) == 0 {
		return
	}
	what := ui.Count(len(rare)+others, "class is", "classes are")
	if others > 0 {
		rare = append(rare, "...")
	}
	l.Warn("%s rare among the %.0f rows learned, and may be predicted too rarely: %s; train with --class-weight balanced to find more of their rows", what, total, strings.Join(rare, ", "))
}
