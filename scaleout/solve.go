package scaleout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"blskernel/blsupdate"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn5x1[context.Context, []byte, func(**State) bool, func(*string) bool, func(Model), error](&solveFn{})
	register.Emitter1[Model]()
	register.Iter1[*State]()
	register.Iter1[string]()
}

// Solve makes a model of the PCollection<*State> of Merge: it adds the ridge once, solves for the
// weights, and returns a PCollection<Model> of one element. Its file has the feature maps, names and
// classes of opt.Model and the state of the output layer, so that it can learn more. Equal states give
// equal bytes.
//
//	cost: k³/3 + 2ck² flops by Gram, 2k³/3 + ck² by QR.
//	memory: the state about four times.
//	panics: if the pipeline cannot be built.
//	errors, of the pipeline: more lines in opt.Bad than opt.SkipBad; no samples at all; too few
//	samples for the nodes without a ridge; nodes that are dependent to working precision.
func Solve(s beam.Scope, states beam.PCollection, opt Options) beam.PCollection {
	opt = opt.resolve()
	checkWhole("states", states)
	s = s.Scope("scaleout.Solve")
	if !opt.Bad.IsValid() {
		opt.Bad, opt.SkipBad = beam.CreateList(s, []string{}), math.MaxInt64
	}
	checkWhole("bad rows", opt.Bad)
	fn := &solveFn{
		withModel: useModel(opt.Model), Lambda: opt.Lambda, SkipBad: opt.SkipBad,
		Created: opt.Created, Software: opt.Software,
	}
	return beam.ParDo(s, fn, beam.Impulse(s), beam.SideInput{Input: states}, beam.SideInput{Input: opt.Bad})
}

// A solveFn takes all states, and all bad rows and files, as side inputs of one call, which also
// happens if there are none.
type solveFn struct {
	withModel
	Lambda   float64
	SkipBad  int64
	Created  time.Time
	Software string
}

// ProcessElement emits the model.
func (fn *solveFn) ProcessElement(ctx context.Context, _ []byte, states func(**State) bool, bad func(*string) bool, emit func(Model)) error {
	skipped, err := fn.countBad(bad)
	if err != nil {
		return err
	}
	begun := time.Now()
	sum := &State{}
	for state := (*State)(nil); states(&state); state = nil {
		if err := sum.add(state); err != nil {
			return fmt.Errorf("scaleout: merging two states: %w", err)
		}
	}
	if sum.updater == nil {
		return fmt.Errorf("scaleout: no shard has a usable sample; %d bad rows and files were set aside", skipped)
	}
	m, err := fn.solve(sum)
	if err != nil {
		return err
	}
	countKernel(ctx, begun)
	emit(m)
	return nil
}

// mostShown is the most bad rows and files that a message shows.
const mostShown = 5

// countBad returns the number of bad rows and files, with an error above the limit.
func (fn *solveFn) countBad(bad func(*string) bool) (count int64, err error) {
	var shown []string
	for line := ""; bad(&line); {
		if count++; len(shown) < mostShown {
			shown = append(shown, line)
		}
	}
	if count <= fn.SkipBad {
		return count, nil
	}
	return count, fmt.Errorf("scaleout: %d bad rows and files, and the limit is %d; correct the data, or raise the limit; the first are: %s",
		count, fn.SkipBad, strings.Join(shown, "; "))
}

// solve makes the model of a sum of states, whose updater it takes over.
func (fn *solveFn) solve(sum *State) (Model, error) {
	if err := sum.sorted(); err != nil {
		return Model{}, fmt.Errorf("scaleout: ordering the classes: %w", err)
	}
	u := sum.updater
	lambda := fn.Lambda
	if lambda < 0 {
		lambda = fn.base.updater().Lambda()
	}
	if err := u.SetLambda(lambda); err != nil {
		return Model{}, fmt.Errorf("scaleout: adding the ridge: %w", err)
	}
	if _, err := u.Weights(); err != nil {
		return Model{}, fn.explain(u.Method(), err)
	}
	file, err := fn.base.withState(sum)
	if err != nil {
		return Model{}, fmt.Errorf("scaleout: making a model of the states: %w", err)
	}
	meta := &file.Metadata
	meta.Created, meta.Changed, meta.Software = fn.Created, fn.Created, fn.Software
	m, err := newModel(file)
	if err != nil {
		return Model{}, fmt.Errorf("scaleout: writing the model: %w", err)
	}
	return m, nil
}

// explain says what to do if the weights cannot be computed.
func (fn *solveFn) explain(method blsupdate.Method, err error) error {
	var rank *blsupdate.RankError
	var condition *blsupdate.ConditionError
	switch {
	case errors.As(err, &rank):
		return fmt.Errorf("scaleout: %d samples do not determine the weights of %d nodes; use a lambda above 0, or more samples: %w",
			rank.Samples, rank.Nodes, err)
	case errors.As(err, &condition):
		do := "raise lambda, or fit by QR"
		if method == blsupdate.QR {
			do = "raise lambda, or look for outliers among the samples"
		}
		return fmt.Errorf("scaleout: the nodes are dependent to working precision; %s: %w", do, err)
	}
	return fmt.Errorf("scaleout: solving for the weights: %w", err)
}
