package bench

// A GrowthPoint is the error of the weights by one method after a sequence of updates of an A of known
// condition.
type GrowthPoint struct {
	Backend   string  `json:"backend"`
	Method    string  `json:"method"`
	Form      string  `json:"form"`            // that was asked for, auto where that is the cheapest or there is no choice
	Solve     bool    `json:"solve,omitempty"` // of Variant
	Samples   int     `json:"samples"`         // l after the last update
	Nodes     int     `json:"nodes"`           // k
	Condition float64 `json:"condition"`       // of A, in the 2-norm
	Lambda    float64 `json:"lambda"`
	Kappa     float64 `json:"kappa"`            // of [A; sqrt(lambda) I], the largest at any step of any seed
	Error     float64 `json:"error,omitempty"`  // ‖W - W0‖/‖W0‖, the largest of all seeds; absent where Failed is not empty
	Bound     float64 `json:"bound"`            // that the method is held to
	Digits    float64 `json:"digits,omitempty"` // that the model itself said it had, the smallest of all seeds; absent where Failed is not empty
	Failed    string  `json:"failed,omitempty"` // the error with which the method refused the first seed that it refused
	Seeds     int     `json:"seeds"`
	Refused   int     `json:"refused,omitempty"` // how many seeds it refused
}

// Within tells whether there is an error and it keeps to the bound.
func (p GrowthPoint) Within() bool { return p.Failed == "" && p.Error <= p.Bound }

// Variant names the method with its form and choices, as Variant.String does.
func (p GrowthPoint) Variant() string { return variantName(p.Method, p.Form, p.Solve) }

// same tells whether p and other are of the same method and problems.
func (p GrowthPoint) same(other GrowthPoint) bool {
	return p.Backend == other.Backend && p.Method == other.Method && p.Form == other.Form && p.Solve == other.Solve &&
		p.Samples == other.Samples && p.Nodes == other.Nodes && p.Condition == other.Condition && p.Lambda == other.Lambda && p.Seeds == other.Seeds
}
