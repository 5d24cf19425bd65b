package bench

// A CrossoverPoint compares, for one number q of added rows, updates with retraining at the same l, k
// and c. The times are medians over rounds in which all were done in turn, with the weights after each.
type CrossoverPoint struct {
	Backend string            `json:"backend"`
	L       int               `json:"l"` // samples before
	K       int               `json:"k"`
	Q       int               `json:"q"`
	C       int               `json:"c"`
	Lambda  float64           `json:"lambda"`
	Seed    uint64            `json:"seed"` // of the rows; 0 in files written before it was kept
	Rounds  int               `json:"rounds"`
	Methods []CrossoverTiming `json:"methods"` // updates by each method, the planner's last
	// RetrainPseudoinverse is A⁺ and W from scratch of all l+q rows, by the ridge formula;
	// RetrainWeights is W alone from scratch, by the method Gram.
	RetrainPseudoinverse CrossoverTiming `json:"retrain_pseudoinverse"`
	RetrainWeights       CrossoverTiming `json:"retrain_weights"`
	Planner              string          `json:"planner"` // the variant that the planner chooses, as in Variant.String
}

// A CrossoverTiming is a time with the flops that it was for.
type CrossoverTiming struct {
	Series string `json:"series,omitempty"` // of an update: the variant that was asked for, or PlannerSeries
	Method string `json:"method"`           // for A⁺ from scratch the one that starts from it, improved
	Form   string `json:"form,omitempty"`   // that an update was done in, where the method has forms
	// By says how A⁺ was computed from scratch, as Retraining.PseudoinverseBy does; empty for all
	// else.
	By      string  `json:"by,omitempty"`
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"` // by the model, or for A⁺ from scratch as counted, which is the same
}

// PlannerSeries is the Series of the update by the planner's method, whatever that is at each q.
const PlannerSeries = "planner"
