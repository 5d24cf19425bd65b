package bench

// A TableHead says what a run of one of the paper's tables is: its settings, and what is the same in all of its rows.
type TableHead struct {
	Table   int     `json:"table"` // 2 to 9
	Title   string  `json:"title"`
	Data    string  `json:"data"` // mnist, norb, or random: features of the same shape without labels
	Scale   float64 `json:"scale"`
	Initial int     `json:"initial"` // l0, samples of the start
	Batch   int     `json:"batch"`   // q, samples of an update
	Updates int     `json:"updates"`
	Nodes   int     `json:"nodes"`   // k
	Targets int     `json:"targets"` // c
	Lambda  float64 `json:"lambda"`
	Shrink  float64 `json:"shrink"` // s of Algorithm 1
	// HeldOut is the number of training samples at the end on which the accuracy is tested, in place of the test set; 0 for
	// the test set.
	HeldOut  int      `json:"held_out,omitempty"`
	Whitened bool     `json:"whitened,omitempty"` // the samples have gone through ZCA
	Methods  []string `json:"methods"`            // in the order of the cells
	Planner  string   `json:"planner"`            // that of them which the planner chose
	Seeds    []uint64 `json:"seeds"`              // of the features, one for each run
}

// A TableRow is one step of a table in one run.
type TableRow struct {
	Table   int         `json:"table"`
	Seed    uint64      `json:"seed"`    // of the run
	Step    int         `json:"step"`    // 0 is the start
	Samples int         `json:"samples"` // l after the step
	Cells   []TableCell `json:"cells"`   // by method; of runs after the first those of the planner's alone
	// FeatureSeconds is the time of the features of the step, which are computed once for all methods. It is part of
	// the seconds of the cells.
	FeatureSeconds float64 `json:"feature_seconds"`
	// Retraining is what a solution from scratch takes at as many samples, where it was measured.
	Retraining *Retraining `json:"retraining,omitempty"`
	// Rebuilt says that the states were built anew from all samples before the step, since the run had been
	// interrupted there.
	Rebuilt bool `json:"rebuilt,omitempty"`
}

// A TableCell is what a step is by one method.
type TableCell struct {
	Method           string   `json:"method"`
	Form             string   `json:"form,omitempty"`     // of B
	Accuracy         *float64 `json:"accuracy,omitempty"` // on the test set, percent; absent without data
	Seconds          float64  `json:"seconds"`            // of the step: features, update and weights
	TotalSeconds     float64  `json:"total_seconds"`      // of all steps so far
	PredictedSeconds float64  `json:"predicted_seconds,omitempty"`
	FlopsModel       float64  `json:"flops_model"`
	FlopsCounted     float64  `json:"flops_counted"`
}

// A Retraining is what solutions from scratch take, with the same features: of A⁺ and W by the ridge formula, and of W alone.
type Retraining struct {
	PseudoinverseSeconds float64 `json:"pseudoinverse_seconds"`
	PseudoinverseFlops   float64 `json:"pseudoinverse_flops"`
	WeightsSeconds       float64 `json:"weights_seconds"`
	WeightsFlops         float64 `json:"weights_flops"`
}
