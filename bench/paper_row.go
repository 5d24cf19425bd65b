package bench

import "cmp"

// A TableHead says what a run of one of the paper's tables is: its settings, and what is the same in
// all of its rows.
type TableHead struct {
	Table   int     `json:"table"` // 2 to 9
	Title   string  `json:"title"`
	Data    string  `json:"data"` // MNIST, NORB, SyntheticDigits, or RandomImages, whose labels mean nothing
	Scale   float64 `json:"scale"`
	Initial int     `json:"initial"` // l0, samples of the start
	Batch   int     `json:"batch"`   // q, samples of an update
	Updates int     `json:"updates"`
	Nodes   int     `json:"nodes"`   // k
	Targets int     `json:"targets"` // c
	Lambda  float64 `json:"lambda"`
	Shrink  float64 `json:"shrink"` // s of Algorithm 1
	// HeldOut is the number of training samples at the end on which the accuracy is tested, in
	// place of the test set; 0 for the test set.
	HeldOut  int  `json:"held_out,omitempty"`
	Whitened bool `json:"whitened,omitempty"` // the samples have gone through ZCA
	// Whitening says with which constants: ReferenceWhitening, UnitWhitening or OtherWhitening.
	// Where it is empty and Whitened is set, in files written before it was kept, they are those of
	// ReferenceWhitening.
	Whitening string   `json:"whitening,omitempty"`
	Methods   []string `json:"methods"` // in the order of the cells
	// Planner is that of the methods which the planner chose, empty where its choice is not among
	// them.
	//
	// In a file written before Repeat was kept, where Repeat is empty, it is the method of the
	// later seeds: the planner's choice if the command was asked for that, else merely the last
	// method.
	Planner string `json:"planner"`
	// Repeat is that of the methods by which the runs after the first are done. See Repeated.
	Repeat string   `json:"repeat,omitempty"`
	Seeds  []uint64 `json:"seeds"` // of the features, one for each run
}

// Repeated returns the method of the runs after the first, Repeat or in older files Planner.
func (h TableHead) Repeated() string { return cmp.Or(h.Repeat, h.Planner) }

// The constants of a whitening, in TableHead.Whitening.
const (
	ReferenceWhitening = "reference" // dataset.ZCARows and dataset.ZCAValues, those of the reference code
	UnitWhitening      = "unit"      // dataset.ZCAUnitRows and dataset.ZCAUnitValues
	OtherWhitening     = "other"
)

// A TableRow is one step of a table in one run.
type TableRow struct {
	Table   int         `json:"table"`
	Seed    uint64      `json:"seed"`    // of the run
	Step    int         `json:"step"`    // 0 is the start
	Samples int         `json:"samples"` // l after the step
	Cells   []TableCell `json:"cells"`   // by method; of runs after the first the one of TableHead.Repeated alone
	// FeatureSeconds is the time of the features of the step, which are computed once for all
	// methods. It is part of the seconds of the cells.
	FeatureSeconds float64 `json:"feature_seconds"`
	// WhiteningSeconds is the time in which the whitening was fitted, in the start of a run with
	// one. It is in no other time; in files written before it was kept it is in FeatureSeconds.
	WhiteningSeconds float64 `json:"whitening_seconds,omitempty"`
	// Retraining is what a solution from scratch takes at as many samples, where it was measured.
	Retraining *Retraining `json:"retraining,omitempty"`
	// Rebuilt says that the states were built anew from all samples before the step, since the run
	// had been interrupted there. What that took is in no time, and the total times from this row
	// on are sums of what two processes measured: there is no speed-up to be had from them.
	Rebuilt bool `json:"rebuilt,omitempty"`
}

// A TableCell is what a step is by one method. All of its times have the features of the steps;
// PredictedSeconds does not.
type TableCell struct {
	Method string `json:"method"`         // as Variant.String has it
	Form   string `json:"form,omitempty"` // of B
	// Accuracy is that on the test set, in percent; absent without data.
	Accuracy *float64 `json:"accuracy,omitempty"`
	// Seconds is the time of the step: features, update and weights. In step 0 methods that start
	// in the same way have the same time, the mean of what their starts took; in files written
	// before, each has that of its own.
	Seconds      float64 `json:"seconds"`
	TotalSeconds float64 `json:"total_seconds"` // of all steps so far
	// PredictedSeconds is what Seconds less the features was to be, by the planner's rates; of
	// updates alone.
	PredictedSeconds float64 `json:"predicted_seconds,omitempty"`
	FlopsModel       float64 `json:"flops_model"`
	FlopsCounted     float64 `json:"flops_counted"`
}

// A Retraining is what solutions from scratch take, with the same features: of A⁺ and W, and of W
// alone.
type Retraining struct {
	PseudoinverseSeconds float64 `json:"pseudoinverse_seconds"`
	PseudoinverseFlops   float64 `json:"pseudoinverse_flops"`
	// PseudoinverseBy says how A⁺ was computed, as blsupdate.Start.String has it: "cholesky" for
	// the paper's ridge formula, or "qr" or "svd" where AᵀA + lambda I is not positive definite to
	// working precision. It is empty in files written before it was kept, in which it was whatever
	// blsupdate.New took: QR for features that are ill-conditioned.
	PseudoinverseBy string  `json:"pseudoinverse_by,omitempty"`
	WeightsSeconds  float64 `json:"weights_seconds"`
	WeightsFlops    float64 `json:"weights_flops"`
}
