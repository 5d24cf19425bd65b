package bls

import (
	"slices"

	"blskernel/internal/names"
)

// A ClassWeight says how much the rows of each class count in a Classifier.
type ClassWeight int

const (
	// Unweighted lets all rows count alike.
	Unweighted ClassWeight = iota
	// Balanced lets all classes count alike: a row of class j counts n/(c n_j) times, where n_j are
	// the rows of the class, n those of all, and c the classes that have any. Sample weights count
	// in n_j and n.
	Balanced
)

var classWeightNames = []string{"unweighted", "balanced"}

// String returns "unweighted" or "balanced", which ParseClassWeight reads.
func (w ClassWeight) String() string { return names.String(classWeightNames, w) }

// ParseClassWeight returns the class weight of the given name, in any case.
func ParseClassWeight(name string) (ClassWeight, error) {
	return names.Parse[ClassWeight](classWeightNames, name)
}

// A count is that of the rows of a class.
type count struct {
	rows   float64
	weight float64 // the sum of their weights, with the factors of Forget
}

// counted returns the counts with the labels, each from 0 to len(counts)-1; nil stays nil.
func counted(counts []count, labels []int) []count {
	out := slices.Clone(counts)
	if counts == nil {
		return nil
	}
	for _, label := range labels {
		out[label].rows++
		out[label].weight++
	}
	return out
}
