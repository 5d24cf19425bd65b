package modelfile

import (
	"fmt"

	"blskernel/bls"
)

// A File is what a model file holds.
type File struct {
	// Exactly one of the two is not nil, and it is fitted.
	Classifier *bls.Classifier
	Regressor  *bls.Regressor

	Metadata Metadata
}

// section returns the name of the section that the model has.
func (f *File) section() string {
	if f.Classifier != nil {
		return sectionClassifier
	}
	return sectionRegressor
}

// check returns an error unless there is one fitted model whose sizes agree with the metadata.
func (f *File) check() error {
	var d, c int
	switch {
	case f.Classifier != nil && f.Regressor != nil:
		panic("modelfile: a File with a Classifier and a Regressor")
	case f.Classifier != nil:
		if f.Classifier.Updater() == nil {
			return bls.ErrNotFitted
		}
		d, c = f.Classifier.FittedFeatures().Inputs(), f.Classifier.Updater().Targets()
	case f.Regressor != nil:
		if f.Regressor.Updater() == nil {
			return bls.ErrNotFitted
		}
		d, c = f.Regressor.FittedFeatures().Inputs(), f.Regressor.Updater().Targets()
	default:
		panic("modelfile: a File without a model")
	}
	m := &f.Metadata
	switch {
	case len(m.Inputs) != 0 && len(m.Inputs) != d:
		return &MetadataError{Field: "inputs", What: fmt.Sprintf("%d names for %d inputs of the model", len(m.Inputs), d)}
	case f.Regressor != nil && len(m.Classes) != 0:
		return &MetadataError{Field: "classes", What: "a regressor has none"}
	case f.Classifier != nil && len(m.Classes) != 0 && len(m.Classes) != c:
		return &MetadataError{Field: "classes", What: fmt.Sprintf("%d labels for %d classes of the model", len(m.Classes), c)}
	case f.Regressor != nil && len(m.Targets) != 0 && len(m.Targets) != c:
		return &MetadataError{Field: "targets", What: fmt.Sprintf("%d names for %d targets of the model", len(m.Targets), c)}
	case f.Classifier != nil && len(m.Targets) > 1:
		return &MetadataError{Field: "targets", What: fmt.Sprintf("%d names, and a classifier has one column of labels", len(m.Targets))}
	}
	return m.Check()
}
