package report

import "slices"

// inverseBy says how the pseudoinverse was computed from scratch, for results in which that is by, of blsupdate.Start.
func inverseBy(by string) string {
	switch by {
	case "cholesky":
		return "A⁺ by the ridge formula"
	case "qr":
		return "A⁺ by QR"
	case "svd":
		return "A⁺ by the SVD"
	case "":
		return "A⁺ as Improved starts, by QR where that is needed,"
	}
	return "A⁺ by " + by
}

// A ways collects how pseudoinverses were computed from scratch, in the order in which they came.
type ways []string

func (w *ways) add(by string) {
	if name := inverseBy(by); !slices.Contains(*w, name) {
		*w = append(*w, name)
	}
}

// String names the work that updates are compared with.
func (w ways) String() string {
	name := "A⁺"
	if len(w) == 1 {
		name = w[0]
	} else if len(w) > 1 {
		name = "A⁺ (" + list(w) + ")"
	}
	return "computing " + name + " and W from scratch"
}
