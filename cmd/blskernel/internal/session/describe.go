package session

import (
	"fmt"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
)

// A Description describes a model, as text and in JSON.
type Description struct {
	Kind    string `json:"kind"`
	Method  string `json:"method"`
	Samples int    `json:"samples"`
	Inputs  int    `json:"inputs"`
	Nodes   int    `json:"nodes"`
	Targets int    `json:"targets"`
}

// Describe describes a model.
func Describe(m *model.Model) Description {
	u, f := m.Updater(), m.FittedFeatures()
	targets := u.Targets()
	if m.Classifier != nil {
		targets = m.Classifier.NumClasses()
	}
	return Description{m.Kind(), u.Method().String(), u.Samples(), f.Inputs(), f.Nodes(), targets}
}

func (d Description) String() string {
	targets := ui.Count(d.Targets, "target")
	if d.Kind == model.Classification {
		targets = ui.Count(d.Targets, "class", "classes")
	}
	return fmt.Sprintf("%s, %s, %s, k = %d nodes", d.Kind, targets, ui.Count(d.Inputs, "input"), d.Nodes)
}
