package scaleout

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"
)

// aBatch is a batch of one digit.
func aBatch() Batch { return batchesOf("a", 0, 1, 1)[0] }

// TestBuildErrors builds invalid pipelines.
func TestBuildErrors(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	folder := t.TempDir()
	missing, text := filepath.Join(folder, "missing.bls"), writeFile(t, folder, "text.bls", []byte("text"))
	plain := func(s beam.Scope) beam.PCollection { return beam.Create(s, aBatch()) }
	for name, test := range map[string]struct {
		batches func(s beam.Scope) beam.PCollection
		opt     Options
		want    string
	}{
		"no model":        {plain, Options{}, "no model"},
		"missing":         {plain, Options{Model: missing}, missing},
		"no model file":   {plain, Options{Model: text}, "not a model file"},
		"another scheme":  {plain, Options{Model: "nowhere://x"}, "nowhere"},
		"lambda":          {plain, Options{Model: model, Lambda: math.NaN()}, "lambda is NaN"},
		"fan-in":          {plain, Options{Model: model, FanIn: 1}, "the fan-in is 1"},
		"states":          {plain, Options{Model: model, States: -1}, "the number of states is -1"},
		"limit":           {plain, Options{Model: model, SkipBad: -1}, "the limit of bad rows and files is -1"},
		"no collection":   {func(beam.Scope) beam.PCollection { return beam.PCollection{} }, Options{Model: model}, "batches is not valid"},
		"of another type": {func(s beam.Scope) beam.PCollection { return beam.Create(s, 1) }, Options{Model: model}, "int is not assignable to scaleout.Batch"},
		"in windows": {func(s beam.Scope) beam.PCollection {
			return beam.WindowInto(s, window.NewFixedWindows(time.Hour), plain(s))
		}, Options{Model: model}, "is in windows"},
		"with a trigger": {func(s beam.Scope) beam.PCollection {
			return beam.WindowInto(s, window.NewGlobalWindows(), plain(s), beam.Trigger(trigger.AfterCount(1)))
		}, Options{Model: model}, "has the trigger"},
	} {
		for method, fit := range map[string]func(beam.Scope, beam.PCollection, Options) beam.PCollection{"Gram": FitGram, "QR": FitQR} {
			if got := panics(func(s beam.Scope) { fit(s, test.batches(s), test.opt) }); !strings.Contains(fmt.Sprint(got), test.want) {
				t.Errorf("%s, %s: the panic is %v", name, method, got)
			}
		}
	}
}

// TestBuildParts builds each part with invalid arguments.
func TestBuildParts(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	opt := Options{Model: model}
	numbers := func(s beam.Scope) beam.PCollection { return beam.Create(s, 1) }
	for name, build := range map[string]func(s beam.Scope){
		"States of a method": func(s beam.Scope) { States(s, blsupdate.Improved, beam.Create(s, aBatch()), opt) },
		"States of numbers":  func(s beam.Scope) { States(s, blsupdate.Gram, numbers(s), opt) },
		"States of no model": func(s beam.Scope) { States(s, blsupdate.Gram, beam.Create(s, aBatch()), Options{}) },
		"Merge of numbers":   func(s beam.Scope) { Merge(s, numbers(s), opt) },
		"Merge by 1":         func(s beam.Scope) { Merge(s, numbers(s), Options{Model: model, FanIn: 1}) },
		"Solve of numbers":   func(s beam.Scope) { Solve(s, numbers(s), opt) },
		"Solve of no model":  func(s beam.Scope) { Solve(s, numbers(s), Options{}) },
		"Write of numbers":   func(s beam.Scope) { Write(s, "x.bls", numbers(s)) },
		"Read of numbers":    func(s beam.Scope) { Read(s, numbers(s), ReadOptions{Model: model}) },
		"bad rows in windows": func(s beam.Scope) {
			bad := beam.WindowInto(s, window.NewFixedWindows(time.Hour), beam.Create(s, "x"))
			FitGram(s, beam.Create(s, aBatch()), Options{Model: model, Bad: bad})
		},
	} {
		if panics(build) == nil {
			t.Errorf("%s: there is no panic", name)
		}
	}
	for want, opt := range map[string]ReadOptions{
		"no model": {}, "the batches have -1 rows": {Model: model, Batch: -1}, "the limit of bad rows and files is -1": {Model: model, SkipBad: -1},
		"cannot be opened": {Model: model + "x"},
	} {
		if got := panics(func(s beam.Scope) { Read(s, beam.Create(s, Shard{}), opt) }); !strings.Contains(fmt.Sprint(got), want) {
			t.Errorf("%s: the panic is %v", want, got)
		}
	}
}

// TestModelReplaced replaces the model file after the construction of a pipeline.
func TestModelReplaced(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	other := sampleFile(t, modelfile.Metadata{Software: "another"})
	used := useModel(model)
	ref, first := used.Model, used.base
	again, err := ref.load(background)
	if err != nil || again != first {
		t.Errorf("a model that is in use is read again (%v)", err)
	}
	testutil.NoError(t, os.Rename(other, model))
	if b, err := ref.load(background); err != nil || b != first {
		t.Errorf("a model that is in use is not there any more (%v)", err)
	}
	unknown := modelRef{model, ref.SHA256[1:] + "0"}
	if _, err := unknown.load(background); err == nil || !strings.Contains(err.Error(), model+" has changed since the pipeline was built") || !strings.Contains(err.Error(), unknown.SHA256) {
		t.Errorf("another model is taken: %v", err)
	}
}
