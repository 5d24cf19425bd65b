package bench

import (
	"cmp"
	"fmt"
	"math"

	"blskernel/bls"
)

// The data of the paper's experiments.
const (
	MNIST = "mnist"
	NORB  = "norb"
)

// A PaperTable has the settings of one of the paper's Tables 2 to 9: a broad learning system of Nodes
// nodes is trained on the first Initial samples of Data, and Batch samples are added Updates times.
type PaperTable struct {
	Table                          int
	Data                           string // MNIST or NORB
	Nodes, Initial, Batch, Updates int
}

// LookupPaperTable returns the settings of a table. ok is false for a number that is not 2 to 9.
func LookupPaperTable(n int) (t PaperTable, ok bool) {
	for _, t := range paperTables {
		if t.Table == n {
			return t, true
		}
	}
	return PaperTable{}, false
}

var paperTables = []PaperTable{
	{2, MNIST, 5100, 10000, 10000, 5},
	{3, MNIST, 5100, 15000, 15000, 3},
	{4, MNIST, 5100, 35000, 5000, 5},
	{5, MNIST, 5100, 42500, 3500, 5},
	{6, NORB, 3500, 9900, 7200, 2},
	{7, NORB, 3500, 9900, 3600, 4},
	{8, NORB, 3100, 12300, 3000, 4},
	{9, NORB, 3100, 16300, 2000, 4},
}

// Title says what the table has, by the name of its own data; see TitleOn.
func (t PaperTable) Title() string { return t.TitleOn(t.Data) }

// TitleOn is Title for a run on other data, MNIST, NORB, SyntheticDigits or RandomImages, which it
// names in place of the table's.
func (t PaperTable) TitleOn(data string) string {
	sign := "<"
	if t.Batch > t.Nodes {
		sign = ">"
	}
	names := map[string]string{MNIST: "MNIST", NORB: "small NORB", SyntheticDigits: "synthetic digits", RandomImages: "random images"}
	return fmt.Sprintf("%s, k = %d, l from %d, %d updates of q = %d %s k", cmp.Or(names[data], data), t.Nodes, t.Initial, t.Updates, t.Batch, sign)
}

// Scaled returns the table with l, q and k multiplied by s > 0, none of them below what makes a model;
// the number of updates stays.
func (t PaperTable) Scaled(s float64) PaperTable {
	scale := func(n, least int) int { return max(least, int(math.Round(float64(n)*s))) }
	const leastNodes = 20
	t.Nodes, t.Initial, t.Batch = scale(t.Nodes, leastNodes), scale(t.Initial, 2*leastNodes), scale(t.Batch, 1)
	return t
}

// Samples returns the number of training samples that the table needs.
func (t PaperTable) Samples() int { return t.Initial + t.Updates*t.Batch }

// Workspace returns the bytes with which no row of D' is computed twice, which the paper does not do
// either: see blsupdate.Options.Workspace.
func (t PaperTable) Workspace() int64 { return 8 * int64(t.Batch) * int64(t.Samples()) }

// Features returns the settings of Algorithm 1 for the table's k: 10 groups of 10 feature nodes, as the
// paper has for MNIST, and enhancement nodes for the rest. For NORB the paper's share of feature nodes
// is not known, which makes no difference to the times of updates. Where k is small, feature nodes are
// at most half of it.
func (t PaperTable) Features() bls.FeatureOptions {
	opt := bls.FeatureOptions{Groups: bls.DefaultGroups, GroupNodes: bls.DefaultGroupNodes}
	opt.Groups = max(1, min(opt.Groups, t.Nodes/(2*opt.GroupNodes)))
	opt.EnhancementNodes = t.Nodes - opt.Groups*opt.GroupNodes
	return opt
}
