package scaleout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn4x1[context.Context, []byte, func(**State) bool, func(*string) bool, error](&solveFn{})
	register.Iter1[*State]()
	register.Iter1[string]()
}

// A solveFn adds the ridge once, solves for the weights and writes the model file. One call takes all
// states and all bad rows as side inputs, even if there are none. Equal states give equal bytes.
type solveFn struct {
	withModel
	Options Options
}

// ProcessElement writes the list of the bad rows, and then the model.
func (fn *solveFn) ProcessElement(ctx context.Context, _ []byte, states func(**State) bool, bad func(*string) bool) error {
	skipped, err := fn.listBad(ctx, bad)
	if err != nil {
		return err
	}
	sum := &State{}
	for state := (*State)(nil); states(&state); state = nil {
		if err := sum.add(state); err != nil {
			return fmt.Errorf("scaleout: merging two states: %w", err)
		}
	}
	if sum.updater == nil {
		return fmt.Errorf("scaleout: no file has a usable sample (bad rows set aside: %d); check the files and the columns", skipped)
	}
	file, err := fn.solve(sum)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return modelfile.Write(w, file) }
	if err := beamfile.Write(ctx, fn.Options.Out, write); err != nil {
		return fmt.Errorf("scaleout: writing the model file %s: %w", fn.Options.Out, err)
	}
	return nil
}

// maxShown is the largest number of bad rows that a message shows.
const maxShown = 5

// listBad writes the bad rows to BadOut, if set. It returns their number, and an error if there are
// more than SkipBad.
func (fn *solveFn) listBad(ctx context.Context, bad func(*string) bool) (count int, err error) {
	var lines []string
	for line := ""; bad(&line); {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	if path := fn.Options.BadOut; path != "" {
		list := func(w io.Writer) error {
			for _, line := range lines {
				if _, err := fmt.Fprintln(w, line); err != nil {
					return err
				}
			}
			return nil
		}
		if err := beamfile.Write(ctx, path, list); err != nil {
			return 0, fmt.Errorf("scaleout: writing the list of bad rows %s: %w", path, err)
		}
	}
	if count = len(lines); int64(count) <= fn.Options.SkipBad {
		return count, nil
	}
	return count, fmt.Errorf("scaleout: the number of bad rows is %d (the first are %s), but at most %d may be set aside: correct the data, or raise the limit",
		count, strings.Join(lines[:min(count, maxShown)], "; "), fn.Options.SkipBad)
}

// solve makes the model from a sum of states, with the updater of the sum as its output layer.
func (fn *solveFn) solve(sum *State) (*modelfile.File, error) {
	if err := sum.sorted(len(fn.base.Labels())); err != nil {
		return nil, fmt.Errorf("scaleout: ordering the classes: %w", err)
	}
	u := sum.updater
	lambda := fn.Options.Lambda
	if lambda < 0 {
		lambda = fn.base.Updater().Lambda()
	}
	if err := u.SetLambda(lambda); err != nil {
		return nil, fmt.Errorf("scaleout: adding the ridge: %w", err)
	}
	if _, err := u.Weights(); err != nil {
		return nil, fn.explain(u.Method(), err)
	}
	file, err := fn.base.withState(sum)
	if err != nil {
		return nil, fmt.Errorf("scaleout: making a model from the states: %w", err)
	}
	meta := &file.Metadata
	meta.Created, meta.Changed, meta.Software = fn.Options.Created, fn.Options.Created, fn.Options.Software
	return file, nil
}

// explain adds advice for the user to err, the error of the solve for the weights.
func (fn *solveFn) explain(method blsupdate.Method, err error) error {
	var rank *blsupdate.RankError
	var condition *blsupdate.ConditionError
	switch {
	case errors.As(err, &rank):
		return fmt.Errorf("scaleout: the samples (%d) do not determine the weights of %d nodes; use a lambda above 0, or more samples: %w",
			rank.Samples, rank.Nodes, err)
	case errors.As(err, &condition):
		do := "raise lambda, or use the method qr"
		if method == blsupdate.QR {
			do = "raise lambda, or look for outliers among the samples"
		}
		return fmt.Errorf("scaleout: the nodes are linearly dependent to working precision (%w): %s", err, do)
	}
	return fmt.Errorf("scaleout: solving for the weights: %w", err)
}
