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
	Rounds  int               `json:"rounds"`
	Methods []CrossoverTiming `json:"methods"` // updates by each method, the planner's last
	// RetrainPseudoinverse is A⁺ and W from scratch of all l+q rows, by the method Improved;
	// RetrainWeights is W alone from scratch, by the method Gram.
	RetrainPseudoinverse CrossoverTiming `json:"retrain_pseudoinverse"`
	RetrainWeights       CrossoverTiming `json:"retrain_weights"`
	Planner              string          `json:"planner"` // the variant that the planner chooses, as in Variant.String
}

// A CrossoverTiming is a time with the flops that it was for.
type CrossoverTiming struct {
	Series  string  `json:"series,omitempty"` // of an update: the variant that was asked for, or PlannerSeries
	Method  string  `json:"method"`
	Form    string  `json:"form,omitempty"` // that an update was done in, where the method has forms
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"` // by the model
}

// PlannerSeries is the Series of the update by the planner's method, whatever that is at each q.
const PlannerSeries = "planner"
