package inspect

import (
	"testing"

	"blskernel/bls/modelfile"
)

// TestHeldOut counts the held-out rows by the log, also of a file with more rows than a loop can visit.
func TestHeldOut(t *testing.T) {
	log := func(rows ...int64) modelfile.Log {
		op := modelfile.Operation{Kind: modelfile.OpTrain, Holdout: 0.5}
		for _, n := range rows {
			op.Files = append(op.Files, modelfile.Learned{Rows: n})
		}
		return modelfile.Log{op}
	}
	const many = 1 << 62
	for _, test := range []struct {
		log        modelfile.Log
		read, want int64
	}{
		{log(30, 20), 90, 40}, {log(30, 20), many, many - 50}, {log(90), 90, 0}, {log(many, many, many), 90, 0},
		{log(), many, 0}, {log(0), many, 0}, {nil, many, 0}, {modelfile.Log{{Kind: modelfile.OpCut}}, many, 0},
	} {
		m := &modelfile.Metadata{Log: test.log, Progress: &modelfile.Progress{Rows: test.read}}
		if got := heldOut(m); got != test.want {
			t.Errorf("%d of %d rows held out, want %d", got, test.read, test.want)
		}
	}
}
