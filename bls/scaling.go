package bls

import (
	"fmt"
	"strings"
)

// A Scaling says how samples become the standardised H1 = [S, 0.1] that the feature nodes are computed
// from.
type Scaling int

const (
	// ScaleSamples standardises each sample by its own mean and standard deviation over its d inputs,
	// as the code by the authors of the method does: s = (x - mean(x)) / std(x), or 0 where all of x is
	// equal. It suits inputs that are of one kind, such as the pixels of an image or the points of a
	// curve. x, 2x and x+1 become one and the same, and nothing of the training set is needed.
	ScaleSamples Scaling = iota
	// ScaleColumns standardises each input by its mean and standard deviation over the first training
	// set, s[j] = (x[j] - mean[j]) / std[j], and so do all later samples, by the numbers of the first
	// set. It suits tables, whose columns are of different kinds and sizes. A column that is constant
	// in the first training set becomes 0 there, by std[j] = 1; its weights are then exactly 0, so that
	// it has no influence later either.
	ScaleColumns
	// ScaleNone takes the samples as they are, S = X: for inputs that are of size 1 already.
	ScaleNone
)

var scalingNames = []string{"samples", "columns", "none"}

// String returns "samples", "columns" or "none", which ParseScaling reads.
func (s Scaling) String() string {
	if s < 0 || int(s) >= len(scalingNames) {
		return fmt.Sprintf("Scaling(%d)", int(s))
	}
	return scalingNames[s]
}

// ParseScaling returns the scaling of the given name, in any case.
func ParseScaling(name string) (Scaling, error) {
	for i, n := range scalingNames {
		if strings.EqualFold(name, n) {
			return Scaling(i), nil
		}
	}
	return 0, fmt.Errorf("bls: unknown scaling %q; known are %s", name, strings.Join(scalingNames, ", "))
}
