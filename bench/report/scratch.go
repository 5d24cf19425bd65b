package report

import (
	"cmp"
	"slices"
)

// ways collects how pseudoinverses were computed from scratch, in the order in which they came.
type ways []string

// add adds a start by the name that results have, of blsupdate.Start.
func (w *ways) add(by string) {
	known := map[string]string{
		"cholesky": "A⁺ by the ridge formula", "qr": "A⁺ by QR", "svd": "A⁺ by the SVD", "": "A⁺ as Improved starts, by QR where that is needed,",
	}
	if name := cmp.Or(known[by], "A⁺ by "+by); !slices.Contains(*w, name) {
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
