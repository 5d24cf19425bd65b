package bench

import (
	"cmp"
	"fmt"
	"math"

	"blskernel/bls"
)

// The data sets of the paper's experiments, and data that can replace them in a table.
const (
	MNIST           = "mnist"
	NORB            = "norb"
	SyntheticDigits = "digits" // the synthetic digits of package dataset
	RandomImages    = "random" // random pixels and labels: there is nothing to learn
)

// A PaperTable holds the settings of one of the paper's Tables 2 to 9. A broad learning system of Nodes
// nodes is trained on the first Initial samples of Data, and Batch samples are added Updates times.
type PaperTable struct {
	Table   int    `json:"table"`   // 2 to 9
	Data    string `json:"data"`    // MNIST or NORB; in a run also SyntheticDigits or RandomImages
	Nodes   int    `json:"nodes"`   // k
	Initial int    `json:"initial"` // l0, samples of the start
	Batch   int    `json:"batch"`   // q, samples of an update
	Updates int    `json:"updates"`
}

// LookupPaperTable returns the settings of the paper's table n, from 2 to 9. For any other n it returns
// the zero PaperTable.
func LookupPaperTable(n int) PaperTable { return paperTables[n].PaperTable }

// PaperFigures returns the figures of the paper's table n, which the caller must not change. For tables
// other than 2 to 9 it returns the zero Figures.
func PaperFigures(n int) Figures { return paperTables[n].Figures }

var paperTables = map[int]struct {
	PaperTable
	Figures
}{
	2: {PaperTable{2, MNIST, 5100, 10000, 10000, 5}, Figures{
		[]float64{1.34, 1.36, 1.36, 1.35, 1.36}, 1.35,
		[]float64{97.57, 98.28, 98.45, 98.57, 98.59, 98.64}, []float64{0.11, 0.07, 0.06, 0.07, 0.06, 0.06}}},
	3: {PaperTable{3, MNIST, 5100, 15000, 15000, 3}, Figures{
		[]float64{1.66, 1.58, 1.56}, 1.57,
		[]float64{98.14, 98.49, 98.57, 98.64}, []float64{0.08, 0.06, 0.06, 0.05}}},
	4: {PaperTable{4, MNIST, 5100, 35000, 5000, 5}, Figures{
		[]float64{1.13, 1.14, 1.14, 1.15, 1.15}, 1.13,
		[]float64{98.53, 98.56, 98.57, 98.60, 98.63, 98.64}, []float64{0.06, 0.05, 0.05, 0.05, 0.05, 0.05}}},
	5: {PaperTable{5, MNIST, 5100, 42500, 3500, 5}, Figures{
		[]float64{1.10, 1.10, 1.11, 1.10, 1.11}, 1.09,
		[]float64{98.57, 98.59, 98.60, 98.63, 98.63, 98.65}, []float64{0.07, 0.06, 0.06, 0.06, 0.06, 0.06}}},
	6: {PaperTable{6, NORB, 3500, 9900, 7200, 2}, Figures{
		[]float64{1.38, 1.39}, 1.35, []float64{88.78, 89.27, 89.38}, []float64{0.33, 0.33, 0.33}}},
	7: {PaperTable{7, NORB, 3500, 9900, 3600, 4}, Figures{
		[]float64{1.09, 1.10, 1.12, 1.13}, 1.10,
		[]float64{88.79, 88.99, 89.28, 89.33, 89.38}, []float64{0.35, 0.35, 0.35, 0.36, 0.34}}},
	8: {PaperTable{8, NORB, 3100, 12300, 3000, 4}, Figures{
		[]float64{1.09, 1.08, 1.11, 1.11}, 1.09,
		[]float64{89.00, 89.22, 89.30, 89.37, 89.37}, []float64{0.35, 0.37, 0.36, 0.35, 0.35}}},
	9: {PaperTable{9, NORB, 3100, 16300, 2000, 4}, Figures{
		[]float64{1.08, 1.08, 1.08, 1.08}, 1.07,
		[]float64{89.25, 89.35, 89.36, 89.40, 89.42}, []float64{0.39, 0.39, 0.38, 0.38, 0.37}}},
}

// TitleOn returns the title of the table, for a run on MNIST, NORB, SyntheticDigits or RandomImages.
func (t PaperTable) TitleOn(data string) string {
	sign := "<"
	if t.Batch > t.Nodes {
		sign = ">"
	}
	return fmt.Sprintf("%s, k = %d, l from %d, %d updates of q = %d %s k", DataName(data), t.Nodes, t.Initial, t.Updates, t.Batch, sign)
}

// DataName returns data or, for MNIST, NORB, SyntheticDigits and RandomImages, the name to display.
func DataName(data string) string {
	names := map[string]string{MNIST: "MNIST", NORB: "small NORB", SyntheticDigits: "synthetic digits", RandomImages: "random images"}
	return cmp.Or(names[data], data)
}

// Scaled returns the table with Nodes, Initial and Batch multiplied by s > 0 and rounded, but not below
// 20, 40 and 1. Updates is unchanged.
func (t PaperTable) Scaled(s float64) PaperTable {
	scale := func(n, least int) int { return max(least, int(math.Round(float64(n)*s))) }
	const minNodes = 20
	t.Nodes, t.Initial, t.Batch = scale(t.Nodes, minNodes), scale(t.Initial, 2*minNodes), scale(t.Batch, 1)
	return t
}

// Samples returns the number of training samples that the table needs.
func (t PaperTable) Samples() int { return t.Initial + t.Updates*t.Batch }

// Workspace returns the size in bytes of a workspace with which no row of D' is computed twice, as in
// the paper. See blsupdate.Options.Workspace.
func (t PaperTable) Workspace() int64 { return 8 * int64(t.Batch) * int64(t.Samples()) }

// Features returns the paper's settings of Algorithm 1 for the table's k. For MNIST they are 10 groups
// of 10 feature nodes and 5000 enhancement nodes. For NORB they are 100 groups of 10 and 2500 (Tables 6
// and 7) or 2100 (Tables 8 and 9). If k is scaled down, at most half of the nodes are feature nodes.
func (t PaperTable) Features() bls.FeatureOptions {
	opt := bls.FeatureOptions{Groups: 10, GroupNodes: 10}
	if LookupPaperTable(t.Table).Data == NORB {
		opt.Groups = 100
	}
	opt.Groups = max(1, min(opt.Groups, t.Nodes/(2*opt.GroupNodes)))
	opt.EnhancementNodes = t.Nodes - opt.Groups*opt.GroupNodes
	return opt
}

// FeatureNodes returns the number of feature nodes in Features.
func (t PaperTable) FeatureNodes() int {
	opt := t.Features()
	return opt.Groups * opt.GroupNodes
}

// The recipes for the settings that the paper's tables share.
const (
	RecipeCode = "code" // from the code published with the first paper on the method, Chen and Liu 2018
	RecipeText = "text" // from this paper's text
)

// A Recipe holds the ridge and the settings of the enhancement nodes. Shrink is s of Algorithm 1, or 0
// for H = tanh([Z, 0.1] Wh) without a scale. Weights is the distribution of Wh.
type Recipe struct {
	Name           string
	Lambda, Shrink float64
	Weights        bls.EnhancementWeights
}

// LookupRecipe returns the named recipe. RecipeCode has lambda = 2⁻³⁰, s = 0.8 and orthonormal weights.
// RecipeText has weights uniform in [-1, 1), no scale, and the limit lambda -> 0, which gives the
// pseudoinverse. For any other name LookupRecipe returns the zero Recipe.
func LookupRecipe(name string) Recipe {
	return map[string]Recipe{
		RecipeCode: {RecipeCode, 0x1p-30, bls.DefaultShrink, bls.Orthonormal},
		RecipeText: {RecipeText, 0, 0, bls.Uniform},
	}[name]
}

// A TableHead holds the settings of a run of one of the paper's tables.
type TableHead struct {
	PaperTable
	Scale   float64 `json:"scale"`   // by which the sizes were multiplied
	Targets int     `json:"targets"` // c
	// FeatureNodes is the number of feature nodes; the other nodes are enhancement nodes.
	FeatureNodes int     `json:"feature_nodes"`
	Recipe       string  `json:"recipe"` // RecipeCode or RecipeText; Lambda and Shrink may differ from it
	Lambda       float64 `json:"lambda"`
	Shrink       float64 `json:"shrink"` // s of Algorithm 1; 0 for enhancement nodes without a scale
	// Whitening is WhitenReference, WhitenUnit, or empty if samples are not whitened.
	Whitening string   `json:"whitening,omitempty"`
	Methods   []string `json:"methods"` // in the order of the cells
	// Planner is the method that the planner chose, or empty if Methods lacks that method.
	Planner string   `json:"planner"`
	Seeds   []uint64 `json:"seeds"` // of the features, one for each run
}

// A TableRow is one step of a table in one run.
type TableRow struct {
	Table   int         `json:"table"`
	Seed    uint64      `json:"seed"`    // of the run
	Step    int         `json:"step"`    // 0 is the start
	Samples int         `json:"samples"` // l after the step
	Cells   []TableCell `json:"cells"`   // by method
	// FeatureSeconds is the time of the features of the step, which all methods share. It is part
	// of the seconds of the cells.
	FeatureSeconds float64 `json:"feature_seconds"`
	FeatureFlops   float64 `json:"feature_flops,omitempty"`
	// Peak is the FMA peak of all threads together, in flop/s: the mean of the peaks before and
	// after the step.
	Peak float64 `json:"peak,omitempty"`
	// Retraining has the times of solutions from scratch for all samples so far, if measured.
	Retraining *Retraining `json:"retraining,omitempty"`
}

// A TableCell has the results of one method for a step. Its times include the features.
type TableCell struct {
	Method string `json:"method"`         // in the format of Variant.String
	Form   string `json:"form,omitempty"` // of B
	// Accuracy is the accuracy on the test set, in percent; absent without a test set.
	Accuracy     *float64 `json:"accuracy,omitempty"`
	Seconds      float64  `json:"seconds"`       // of the step: features, update and weights
	TotalSeconds float64  `json:"total_seconds"` // of all steps so far
	FlopsModel   float64  `json:"flops_model"`
	FlopsCounted float64  `json:"flops_counted"`
	// Difference is ‖W - W₁‖/‖W₁‖ in Frobenius norms, where W₁ are the weights of the first method.
	Difference float64 `json:"difference,omitempty"`
	// Steps are the steps of the update and of the weights, without the work between them.
	Steps []StepTime `json:"steps,omitempty"`
}

// A StepTime is a step of an update, with the flops that the backend counted.
type StepTime struct {
	Step    string  `json:"step"` // as named by blsupdate
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"`
}

// A Retraining has the times of solutions from scratch for A⁺ and W, and for W alone.
type Retraining struct {
	PseudoinverseSeconds float64 `json:"pseudoinverse_seconds"`
	PseudoinverseFlops   float64 `json:"pseudoinverse_flops"`
	// PseudoinverseBy names the method that computed A⁺, as blsupdate.Start.String does. It is
	// "cholesky" for the paper's ridge formula, and "qr" or "svd" if AᵀA + lambda I is not positive
	// definite to working precision.
	PseudoinverseBy string  `json:"pseudoinverse_by"`
	WeightsSeconds  float64 `json:"weights_seconds"`
	WeightsFlops    float64 `json:"weights_flops"`
}

// Figures are the numbers printed in one of the paper's tables, measured in MATLAB on a server.
type Figures struct {
	// Speedup is Original's time for each update divided by Improved's, features included.
	Speedup []float64
	// Total is the same ratio for the accumulated training time, start and all updates.
	Total float64
	// Accuracy is the testing accuracy in percent after the start and each update, the mean of
	// several runs. AccuracySD is its standard deviation.
	Accuracy, AccuracySD []float64
}
