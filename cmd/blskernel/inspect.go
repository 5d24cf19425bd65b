package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"blskernel"
	"blskernel/bls/modelfile"

	"github.com/spf13/cobra"
)

// inspectSettings are the flags of inspect.
type inspectSettings struct {
	compute computeSettings
	talk    talkSettings
}

func newInspect(s streams) *cobra.Command {
	var set inspectSettings
	cmd := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Say what a model file has",
		Long: `Verify the checksums of a model file and say what the model is: its kind and sizes, how
it learns, how far its weights can be trusted, how its feature maps were made, what the
columns and classes are called, and which parts the file has.

The digits are those that rounding leaves of the weights at least, by a bound that is
usually far too careful.`,
		Example: `  blskernel inspect iris.bls
  blskernel inspect --json iris.bls`,
		Args:              oneModel,
		ValidArgsFunction: completeModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return set.run(cmd.Context(), args[0], s) },
	}
	cmd.Flags().SortFlags = false
	set.compute.register(cmd)
	set.talk.register(cmd, "one JSON object")
	return cmd
}

func (set *inspectSettings) run(ctx context.Context, path string, s streams) error {
	if err := set.talk.check(); err != nil {
		return err
	}
	b, err := set.compute.lookup()
	if err != nil {
		return err
	}
	t := set.talk.begin(s)
	t.explain("the condition number is estimated by the backend %s", b.Name())
	i, err := inspect(ctx, path, b)
	if err != nil {
		return err
	}
	if t.json {
		return t.object(i)
	}
	return i.print(s.out)
}

// inspection is what inspect says, as JSON.
type inspection struct {
	File          string             `json:"file"`
	Bytes         int64              `json:"bytes"`
	FormatVersion int                `json:"format_version"`
	SHA256        string             `json:"sha256"`
	Kind          string             `json:"kind"`
	Method        string             `json:"method"`
	Samples       int                `json:"samples"`
	Inputs        int                `json:"inputs"`
	Nodes         int                `json:"nodes"`
	FeatureNodes  int                `json:"feature_nodes"`
	Enhancement   int                `json:"enhancement_nodes"`
	Targets       int                `json:"targets"`
	Lambda        float64            `json:"lambda"`
	Condition     *float64           `json:"condition"` // null where it is beyond what can be told
	Digits        float64            `json:"digits"`
	Advice        string             `json:"advice,omitempty"`
	Groups        int                `json:"groups"`
	GroupNodes    int                `json:"group_nodes"`
	Shrink        float64            `json:"shrink"`
	Scale         string             `json:"scale"`
	Seed          uint64             `json:"seed"`
	Metadata      modelfile.Metadata `json:"metadata"`
	Sections      []inspectedSection `json:"sections"`
}

type inspectedSection struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c"`
}

// inspect reads a model file.
func inspect(ctx context.Context, path string, b blskernel.Backend) (*inspection, error) {
	model, err := loadModel(ctx, path, b)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := modelfile.Inspect(file)
	if err != nil {
		return nil, explainModel(path, err)
	}
	u, f := model.updater(), model.features()
	opt, condition := f.Options(), u.Condition()
	i := &inspection{
		File: path, Bytes: info.Bytes, FormatVersion: info.Version, SHA256: hex.EncodeToString(info.SHA256[:]),
		Kind: model.kind(), Method: u.Method().String(), Samples: u.Samples(), Inputs: f.Inputs(),
		Nodes: f.Nodes(), FeatureNodes: f.FeatureNodes(), Enhancement: f.EnhancementNodes(), Targets: u.Targets(),
		Lambda: u.Lambda(), Digits: condition.Digits, Advice: condition.Advice,
		Groups: opt.Groups, GroupNodes: opt.GroupNodes, Shrink: opt.Shrink, Scale: opt.Scaling.String(), Seed: opt.Seed,
		Metadata: info.Metadata,
	}
	if kappa := 1 / condition.RCond; !math.IsInf(kappa, 0) && !math.IsNaN(kappa) {
		i.Condition = &kappa
	}
	for _, s := range info.Sections {
		i.Sections = append(i.Sections, inspectedSection{strings.TrimSpace(s.Name), s.Offset, s.Bytes, fmt.Sprintf("%08x", s.CRC32C)})
	}
	return i, nil
}

// print writes it for people.
func (i *inspection) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	m := i.Metadata
	line("file", "%s, %d bytes, format version %d", i.File, i.Bytes, i.FormatVersion)
	line("model", "%s, %s, %s, %s", i.Kind, countedTargets(i.Kind, i.Targets), counted(i.Inputs, "input"), counted(i.Samples, "sample"))
	lambda := ridge(i.Lambda)
	line("learns by", "%s, lambda = %s", i.Method, &lambda)
	line("nodes", "k = %d: %d groups of %d feature nodes, %d enhancement nodes", i.Nodes, i.Groups, i.GroupNodes, i.Enhancement)
	line("features", "scaled by %s, shrink %v, seed %d", i.Scale, i.Shrink, i.Seed)
	condition := "beyond 1e8"
	if i.Condition != nil {
		condition = fmt.Sprintf("%.2g", *i.Condition)
	}
	line("condition", "%s; at least %.1f digits of the weights are right", condition, i.Digits)
	if i.Advice != "" {
		line("advice", "%s", i.Advice)
	}
	line("inputs", "%s", listed(m.Inputs))
	line("targets", "%s", listed(m.Targets))
	if i.Kind == classification {
		line("classes", "%s", listed(m.Classes))
	}
	if what := unfinished(&m); what != "" {
		line("state", "%s", what)
	} else if m.Progress != nil {
		line("last learned", "%s of %s", counted(int(m.Progress.Rows), "row"), someOf(m.Progress.Sources))
	}
	line("batch", "%d rows", m.Batch)
	line("created", "%s", m.Created.Format(time.RFC3339))
	line("changed", "%s", m.Changed.Format(time.RFC3339))
	line("software", "%s", printable(m.Software))
	for _, s := range i.Sections {
		line("section "+s.Name, "%d bytes from byte %d, CRC-32C %s, right", s.Bytes, s.Offset, s.CRC32C)
	}
	line("SHA-256", "%s, right", i.SHA256)
	return t.Flush()
}

// listed writes some names, and says how many more there are.
func listed(names []string) string {
	if len(names) == 0 {
		return "without names"
	}
	return someOf(names)
}
