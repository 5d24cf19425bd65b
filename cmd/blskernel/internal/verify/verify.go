// Package verify implements the verify command, which checks that files reproduce a model.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// New returns the verify command.
func New(s ui.Streams) *cobra.Command {
	var v session.Session
	cmd := &cobra.Command{
		Use:   "verify MODEL FILE...",
		Short: "Check that files reproduce a model",
		Long: `Repeat the log of a model on the given files, and compare the result with the model. The log records
each train, update, remove and merge, with its flags and the hashes of its files. Files can therefore
have any name, and flags need not be given. A file whose rows were later removed, with the same --weight
and without an update --forget in between, is not needed.

A model that has only learned must be reproduced bit for bit. A model that has forgotten or removed
rows, or was merged, must have the weights of a fit to the remaining rows, to as many digits as inspect
reports. The feature maps and the settings are recomputed if the training files are given.

The exit status is 0 if the model is the same, 1 if it is not, and 2 if verify cannot decide: a file is
missing or has changed; rows came from standard input, Go or Python; the log grew too long and dropped
its first operations; or the log was made with other arithmetic. docs/learning-on.md says what verify
does not prove.`,
		Example: `  blskernel verify iris.bls iris.csv more.csv
  blskernel verify --json iris.bls *.csv`,
		Args: session.ModelFirst(math.MaxInt),
	}
	v.Command(cmd, s, "one JSON object", func(ctx context.Context, args []string) error { return verify(ctx, &v, args) })
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var different *differentError
		if err == nil || errors.As(err, &different) || cmd.Context().Err() != nil {
			return err
		}
		return ui.Usagef("%w", err) // for status 2
	}
	return cmd
}

// A differentError reports that the files do not reproduce a model.
type differentError struct{ text string }

func (e *differentError) Error() string { return e.text }

func verify(ctx context.Context, s *session.Session, args []string) error {
	path, in := args[0], input.Input{}
	m, err := s.Load(ctx, path)
	if err != nil {
		return err
	}
	if slices.Contains(args[1:], session.StandardInput) {
		return ui.Usagef("standard input cannot be matched with the log, which lists files by their hashes: name the files")
	}
	if len(args) > 1 {
		if err := in.Begin(args[1:], s); err != nil {
			return err
		}
	}
	found, err := m.Verify(ctx, in.Paths)
	if err != nil {
		return fmt.Errorf("%s cannot be verified: %w", path, session.Advice{}.Explain(ui.CauseOf(ctx, err)))
	}
	if err := s.Object(found); err != nil {
		return err
	}
	if found.Verdict == model.Unknown {
		noteChanged(&in, m, s)
	}
	differ := ""
	if found.Difference > 0 {
		differ = fmt.Sprintf(" (relative difference of the weights: %.2g; bound: %.2g)", found.Difference, found.Bound)
	}
	if found.Verdict == model.Unknown {
		return fmt.Errorf("%s cannot be verified without %s%s", path, strings.Join(found.Missing, "; "), differ)
	}
	for _, what := range found.Unverified {
		err = cmp.Or(err, s.Say("not verified: %s", what))
	}
	if found.Verdict == model.Different {
		return &differentError{fmt.Sprintf("%s does not match its log: %s differ%s", path, ui.Join(found.Differs, "and"), differ)}
	}
	if found.Bits {
		differ = ", bit for bit"
	}
	return cmp.Or(err, s.Say("%s matches its log: relearning %s gives the same model%s", path, ui.Count(found.Rows, "row"), differ))
}

// noteChanged prints a note for each path that has the name of a learned file but different contents.
func noteChanged(in *input.Input, m *model.Model, s *session.Session) {
	for _, path := range in.Paths {
		learned, err := in.FindLearned(m, path, false)
		removed, err2 := in.FindLearned(m, path, true)
		if cmp.Or(err, err2) != nil || learned >= 0 || removed >= 0 {
			continue
		}
		name := session.Recorded(filepath.Base(path))
		if slices.ContainsFunc(m.Metadata.Learned, func(l modelfile.Learned) bool { return l.Name == name }) {
			s.Warn("%s has the name of a file that the model has learned, but other contents", path)
		}
	}
}
