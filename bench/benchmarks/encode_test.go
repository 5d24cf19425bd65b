package benchmarks

import (
	"bytes"
	"context"
	"io"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
)

// A state is what can be written and read again.
type state interface{ Encode(io.Writer) error }

// encoding times the writing of states to memory.
func encoding[S state](b *testing.B, start func(bk blskernel.Backend) S) {
	learners(b, func(bk blskernel.Backend) call {
		s := start(bk)
		var to bytes.Buffer
		check(s.Encode(&to))
		return call{bytes: int64(to.Len()), do: func() error { to.Reset(); return s.Encode(&to) }}
	})
}

// decoding times the reading of states from memory.
func decoding[S state](b *testing.B, start func(blskernel.Backend) S, read reader[S]) {
	learners(b, func(bk blskernel.Backend) call {
		var from bytes.Buffer
		check(start(bk).Encode(&from))
		return call{bytes: int64(from.Len()), do: func() error {
			_, err := read(bytes.NewReader(from.Bytes()), bk)
			return err
		}}
	})
}

// A reader is a function that decodes.
type reader[S state] func(r io.Reader, bk blskernel.Backend) (S, error)

func fittedFeatures(bk blskernel.Backend) *bls.Features {
	x, _, _ := digits()
	return must(bls.FitFeatures(x, featureOptions(bk)))
}

func BenchmarkFeaturesEncode(b *testing.B)   { encoding(b, fittedFeatures) }
func BenchmarkClassifierEncode(b *testing.B) { encoding(b, classifier.fitted) }
func BenchmarkRegressorEncode(b *testing.B)  { encoding(b, regressor.fitted) }

func BenchmarkBlsDecodeFeatures(b *testing.B)   { decoding(b, fittedFeatures, bls.DecodeFeatures) }
func BenchmarkBlsDecodeClassifier(b *testing.B) { decoding(b, classifier.fitted, bls.DecodeClassifier) }
func BenchmarkBlsDecodeRegressor(b *testing.B)  { decoding(b, regressor.fitted, bls.DecodeRegressor) }

// BenchmarkBlsupdateEncode and the next one are of the state of each method, which for Original and
// Improved has A⁺.
func BenchmarkBlsupdateEncode(b *testing.B) {
	modelsAlone(b, methods(blsupdate.ActionAdd), func(m *model) call {
		m.fresh()
		var to bytes.Buffer
		check(blsupdate.Encode(&to, m.Updater))
		return call{bytes: int64(to.Len()), do: func() error { to.Reset(); return blsupdate.Encode(&to, m.Updater) }}
	})
}

func BenchmarkBlsupdateDecode(b *testing.B) {
	modelsAlone(b, methods(blsupdate.ActionAdd), func(m *model) call {
		m.fresh()
		var from bytes.Buffer
		check(blsupdate.Encode(&from, m.Updater))
		return call{bytes: int64(from.Len()), do: func() error {
			_, err := blsupdate.Decode(bytes.NewReader(from.Bytes()), m.opt.Backend)
			return err
		}}
	})
}

// BenchmarkUpdaterAddInputsContext is AddInputs with a context that can be canceled, for which some
// methods have to keep what they overwrite.
func BenchmarkUpdaterAddInputsContext(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	actions(b, methods(blsupdate.ActionAdd), added, blsupdate.ActionAdd, func(m *model) error {
		return m.AddInputsContext(ctx, m.ax, m.ya)
	})
}
