package bench

import (
	"context"
	"errors"
	"testing"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/memory"
)

// TestRefusedForMemory has runs for which there is no room: nothing is emitted, and the error says how
// much it would take.
func TestRefusedForMemory(t *testing.T) {
	train := dataset.Digits(130, 1)
	variants := []Variant{{Method: blsupdate.Gram}, {Method: blsupdate.Improved}}
	e := &Incremental{
		Train: train, Initial: 90, Batch: 20, Updates: 2, Variants: variants, Update: blsupdate.Options{Lambda: 0.1},
		Features: bls.FeatureOptions{Groups: 4, GroupNodes: 5, EnhancementNodes: 40},
	}
	const k, c = 60, 10
	need := int64(4*k*(k+1)+8*k*c) + 8*130*(k+c) + 8*k*c + 8*20*k
	undo := memory.Limit(need - 1)
	err := e.Run(context.Background(), func(TableRow) error { t.Error("a row"); return nil }, nil)
	undo()
	var short *blsupdate.MemoryError
	if !errors.As(err, &short) || short.Need != need || short.Op != "bench" || short.Do == "" {
		t.Errorf("%v; want %d bytes", err, need)
	}
}
