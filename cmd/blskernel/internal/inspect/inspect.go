// Package inspect implements the inspect command, which describes a model file.
package inspect

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/names"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

// New returns the inspect command.
func New(s ui.Streams) *cobra.Command {
	var with session.Session
	cmd := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Describe a model file",
		Long: `Verify the checksums of a model file and describe the model: its kind and sizes, its method, how far its
weights can be trusted, its feature maps, and the names of its columns and classes.

The digits are a lower bound on the correct digits of the weights, and usually far too pessimistic.`,
		Example: `  blskernel inspect iris.bls
  blskernel inspect --json iris.bls`,
		Args: session.ModelFirst(1),
	}
	return with.Command(cmd, s, "one JSON object", func(ctx context.Context, args []string) error {
		with.Explain("the condition number is estimated by the backend %s", with.Backend.Name())
		found, err := inspect(ctx, &with, args[0])
		if err != nil {
			return err
		}
		return errors.Join(with.Object(found), with.Print(found.String()))
	})
}

// Inspection is the JSON output of inspect.
type Inspection struct {
	File          string `json:"file"`
	Bytes         int64  `json:"bytes"`
	FormatVersion int    `json:"format_version"`
	SHA256        string `json:"sha256"`
	session.Description
	Kept         int      `json:"kept_rows,omitempty"` // rows that the file keeps
	FeatureNodes int      `json:"feature_nodes"`
	Enhancement  int      `json:"enhancement_nodes"`
	Lambda       float64  `json:"lambda"`
	Condition    *float64 `json:"condition"` // null if it is too large to estimate
	Digits       float64  `json:"digits"`
	Advice       string   `json:"advice,omitempty"`
	Groups       int      `json:"groups"`
	GroupNodes   int      `json:"group_nodes"`
	Shrink       float64  `json:"shrink"`
	Scale        string   `json:"scale"`
	Seed         uint64   `json:"seed"`
	session.Extras
	Choice     *session.Choice    `json:"choice,omitempty"`
	Holdout    score.Quality      `json:"holdout,omitempty"` // the score of the rows that were not learned
	Running    *score.Before      `json:"running,omitempty"` // the score of rows before they were learned
	Calibrated bool               `json:"calibrated"`
	Metadata   modelfile.Metadata `json:"metadata"`
}

func inspect(ctx context.Context, s *session.Session, path string) (*Inspection, error) {
	m, err := s.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := vfs.Open(s.FS, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := modelfile.Inspect(file)
	if err != nil {
		return nil, err
	}
	u, f := m.Updater(), m.FittedFeatures()
	opt, condition := f.Options(), u.Condition()
	i := &Inspection{
		File: path, Bytes: info.Bytes, FormatVersion: info.Version, SHA256: hex.EncodeToString(info.SHA256[:]),
		Description: session.Describe(m), Kept: m.KeptRows(), FeatureNodes: f.FeatureNodes(), Enhancement: f.EnhancementNodes(),
		Lambda: u.Lambda(), Digits: condition.Digits,
		Groups: opt.Groups, GroupNodes: opt.GroupNodes, Shrink: opt.Shrink, Scale: opt.Scaling.String(), Seed: opt.Seed, Extras: session.ExtrasOf(m),
		Holdout: score.Noted(m), Choice: session.ChoiceOf(m), Metadata: info.Metadata,
		Running: score.BeforeOf(m), Calibrated: m.Calibrated(),
	}
	if i.Choice == nil { // chosen settings have a score, which says more than advice about digits
		i.Advice = condition.Advice
	}
	if kappa := 1 / condition.RCond; !math.IsInf(kappa, 0) && !math.IsNaN(kappa) {
		i.Condition = &kappa
	}
	return i, nil
}

func (i *Inspection) String() string {
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	some := func(name, text string) {
		if text != "" {
			line(name, "%s", text)
		}
	}
	m := i.Metadata
	line("file", "%s, %d bytes, format version %d", i.File, i.Bytes, i.FormatVersion)
	line("model", "%s, %s", i.Description, ui.Count(i.Samples, "sample"))
	if i.Kept > 0 {
		line("keeps", "%s, too few to make the feature maps final", ui.Count(i.Kept, "row"))
	}
	line("learns by", "%s, lambda = %s", i.Method, names.Ridge(i.Lambda))
	line("nodes", "%s of %s, %s", ui.Count(i.Groups, "group"), ui.Count(i.GroupNodes, "feature node"), ui.Count(i.Enhancement, "enhancement node"))
	if i.Choice != nil {
		line("chosen by", "%s", i.Choice.Reached())
	}
	line("features", "scale %s, shrink %v, seed %d%v", i.Scale, i.Shrink, i.Seed, i.Extras)
	condition := "beyond 1e8"
	if i.Condition != nil {
		condition = fmt.Sprintf("%.2g", *i.Condition)
	}
	line("condition", "%s; at least %.1f digits of the weights are correct", condition, i.Digits)
	some("advice", i.Advice)
	const withoutNames = "without names"
	line("inputs", "%s", cmp.Or(names.List(m.Inputs), withoutNames))
	inputs := m.Columns.Names(m.Inputs)
	var words, written []string
	for j, c := range m.Columns {
		name := fmt.Sprintf("column %d", j+1)
		if inputs != nil {
			name = inputs[j]
		}
		if c.Levels != nil {
			words = append(words, fmt.Sprintf("%s (%s)", name, ui.Count(len(c.Words()), "word")))
		}
		if c.Notation != (stream.Notation{}) {
			written = append(written, fmt.Sprintf("%s %v", name, c.Notation))
		}
	}
	if words != nil {
		line("columns", "%d of numbers, %d of words: %s", len(m.Columns)-len(words), len(words), names.List(words))
	}
	line("missing", "%s", cmp.Or(m.Missing, stream.MissingError.String()))
	if m.Decimal+m.Thousands != "" {
		decimal := cmp.Or(m.Decimal, ".")
		if m.Thousands == "." { // which implies decimal commas
			decimal = ","
		}
		line("numbers", "decimal %q, thousands %q", decimal, m.Thousands)
	}
	for j, n := range m.TargetNotations {
		if n != (stream.Notation{}) {
			written = append(written, fmt.Sprintf("%s %v", input.NamesOr(m.Targets, j+1, "target")[j], n))
		}
	}
	some("written", names.List(written))
	some("missing words", names.List(m.NA))
	some("excluded", names.List(m.Exclude))
	line("targets", "%s", cmp.Or(names.List(m.Targets), withoutNames))
	if i.Kind == model.Classification {
		line("classes", "%s", cmp.Or(names.List(m.Classes), withoutNames))
	}
	if what := session.Unfinished(&m); what != "" {
		line("state", "%s", what)
	} else if m.Progress != nil {
		held := heldOut(&m)
		text := fmt.Sprintf("%s of %s", ui.Count(m.Progress.Rows-held, "row"), names.List(m.Progress.Sources))
		if held > 0 {
			text += fmt.Sprintf(", %d held out", held)
		}
		line("last learned", "%s", text)
	}
	some("has learned", learnedText(m.Learned))
	if i.Holdout != nil {
		line("held out", "%s", i.Holdout.Brief())
	}
	if i.Running != nil {
		line("running", "%s", i.Running)
	}
	line("batch", "%s", ui.Count(m.Batch, "row"))
	line("created", "%s", m.Created.Format(time.RFC3339))
	line("changed", "%s", m.Changed.Format(time.RFC3339))
	line("software", "%s", ui.Printable(m.Software))
	line("SHA-256", "%s, verified", i.SHA256)
	_ = t.Flush() // writes to memory, so it cannot fail
	return text.String()
}

func learnedText(list []modelfile.Learned) string {
	const shown = 5
	var names []string
	for _, l := range list[max(0, len(list)-shown):] {
		what := ""
		if l.Removed {
			what = " removed"
		}
		names = append(names, fmt.Sprintf("%s (%s%s)", ui.Printable(l.Name), ui.Count(l.Rows, "row"), what))
	}
	text := strings.Join(names, ", ")
	if more := len(list) - len(names); more > 0 {
		text += fmt.Sprintf(", and %s before them", ui.Count(more, "file"))
	}
	return text
}

// heldOut returns how many rows of the last run its log entry lacks, or 0 without an entry.
func heldOut(m *modelfile.Metadata) int64 {
	n, rest := len(m.Log), m.Progress.Rows
	if n == 0 || m.Log[n-1].Holdout == 0 {
		return 0
	}
	for _, file := range m.Log[n-1].Files {
		if rest -= file.Rows; rest < 0 { // not a log of this run
			return 0
		}
	}
	if rest == m.Progress.Rows { // no file is listed
		return 0
	}
	return rest
}
