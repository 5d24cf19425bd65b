package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/selftest"
)

// rules is the version of the algorithms that make a model from given rows: the feature maps, the
// choice of settings and the updates. It changes when any of these does, from the first release on.
const rules = 1

// Arithmetic names what determines the bits of a model, apart from its rows. For the pure backend it
// lists the version of the rules in docs/reproducibility.md, the length KC of a chain of multiply-adds,
// and the self-test of "blskernel info". For others, the backend's version and threads replace KC.
//
//	cost: a few milliseconds.
func Arithmetic(b blskernel.Backend) string {
	info := blskernel.Describe(b)
	name, _, _ := strings.Cut(info.Name, "/")
	if _, kc, _, ok := backend.BlockSizes(b); ok {
		name += fmt.Sprintf(", KC %d", kc)
	} else {
		name += fmt.Sprintf(" %s, threads %d", info.Version, blskernel.Threads())
	}
	return fmt.Sprintf("%s, rules %d, self-test %s", name, rules, selftest.SelfTest(backend.Or(b)))
}

// Log adds an operation to the log, and calls CutLog while there are more than modelfile.MaxLog.
func (m *Model) Log(op modelfile.Operation) {
	m.Metadata.Log = append(slices.Clip(m.Metadata.Log), op)
	for len(m.Metadata.Log) > modelfile.MaxLog {
		m.CutLog()
	}
}

// CutLog removes the older half of the log, and marks the rest as incomplete.
func (m *Model) CutLog() {
	log := m.Metadata.Log
	m.Metadata.Log = append(modelfile.Log{{Kind: modelfile.OpCut}}, log[len(log)/2+1:]...)
}

// Reweigh multiplies the weights of all rows so far by factor, and changes the ridge to *lambda. A nil
// lambda keeps the ridge if the method can restore it after Forget. An error leaves m undefined.
//
//	errors: as Forget and SetLambda of package bls, and Weights if kept rows cannot be fitted.
func (m *Model) Reweigh(factor float64, lambda *float64) error {
	if factor == 1 && lambda == nil {
		return nil
	}
	u := m.Updater()
	if u == nil {
		_, err := m.Weights()
		return err
	}
	ridge := u.Lambda()
	if factor < 1 {
		if err := m.Forget(factor); err != nil {
			return err
		}
	}
	switch {
	case lambda != nil:
		ridge = *lambda
	case !blsupdate.Supports(u.Method(), blsupdate.ActionRidge) || m.KeptRows() > 0 && m.GivenLambda() == 0:
		return nil // the next fit of the kept rows chooses the ridge
	}
	err := m.SetLambda(ridge)
	if err == nil { // model files store None for a ridge of 0
		if *m.given() = ridge; ridge == 0 {
			*m.given() = bls.None
		}
	}
	return err
}

// GivenLambda returns the ridge that training was given, or that Reweigh has set or kept: 0 to choose
// one, or bls.None for no ridge.
func (m *Model) GivenLambda() float64 { return *m.given() }

func (m *Model) given() *float64 {
	if m.Classifier != nil {
		return &m.Classifier.Update.Lambda
	}
	return &m.Regressor.Update.Lambda
}

// A Holdout is the share of rows, from 0 to 1, that a training run does not learn.
type Holdout float64

// Holds reports whether the row with the given number, from 0, is held out.
func (h Holdout) Holds(row int64) bool { return place(row) < float64(h) }

// place hashes the number of a row to [0, 1), so that periodic rows do not all fall on one side. The
// hashes of rows 0, 1, ... are the output of SplitMix64 from state 0.
func place(row int64) float64 {
	return float64(detmath.SplitMix64(uint64(row)*detmath.SplitMixStep)>>11) / (1 << 53)
}

// Rest returns the rows of b, numbered from first on, that are not held out, or nil if there are none.
func (h Holdout) Rest(b *stream.Batch, first int64) *stream.Batch { return restOf(b, first, h.Holds) }

// restOf returns the rows of a batch, numbered from first on, for which out is false.
func restOf(b *stream.Batch, first int64, out func(row int64) bool) *stream.Batch {
	rest, _ := b.Split(func(i int) bool { return out(first + int64(i)) })
	return rest
}

// SkipBad calls do with a batch. While do fails for one row, it passes that *Error to aside, drops the
// row and tries again. It stops at any other error. It returns the rows kept, or nil if none are left.
func SkipBad(b *stream.Batch, do func(*stream.Batch) error, aside func(*Error) error) (*stream.Batch, error) {
	for b != nil {
		err := do(b)
		var fault *Error
		if !errors.As(err, &fault) || fault.Row < 0 {
			return b, err
		}
		if err := aside(fault); err != nil {
			return b, err
		}
		b, _ = b.Split(func(i int) bool { return i == fault.Row })
	}
	return nil, nil
}
