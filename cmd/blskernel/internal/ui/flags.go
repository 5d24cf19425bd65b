package ui

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/flagvalue"

	"github.com/spf13/cobra"
)

const (
	// MostSamples is beyond any memory, and small enough that the product of two flags does not
	// overflow.
	MostSamples = 1 << 30
	// MostSize bounds the sizes of models of random rows.
	MostSize = 10_000_000
	// MostNodes is the order of a matrix of 80 GB.
	MostNodes = 100_000
)

// A Ridge is the value of --lambda, which is written as a power of two if it is one, since the paper's
// is 2^-30.
type Ridge float64

// Type returns the name of the value in the help text.
func (*Ridge) Type() string { return "number" }

// String returns the shorter of the decimal number and 2^n.
func (r *Ridge) String() string {
	decimal := strconv.FormatFloat(float64(*r), 'g', -1, 64)
	if fraction, exponent := math.Frexp(float64(*r)); fraction == 0.5 {
		if power := "2^" + strconv.Itoa(exponent-1); len(power) < len(decimal) {
			return power
		}
	}
	return decimal
}

// Set reads a decimal number or 2^n.
func (r *Ridge) Set(s string) error {
	v, err := flagvalue.ParseRidge(s)
	if err == nil {
		*r = Ridge(v)
	}
	return err
}

// LambdaFlag adds --lambda with the value as its default. more is added to the help text.
func LambdaFlag(cmd *cobra.Command, v *Ridge, more string) {
	cmd.Flags().Var(v, "lambda", "ridge, as 1e-6 or 2^-30; 0 for least squares"+more)
}

// SeedFlag adds --seed, by default 1.
func SeedFlag(cmd *cobra.Command, v *uint64) {
	*v = 1
	cmd.Flags().Var(&value[uint64]{v, "1", "uint", func(text string) (uint64, error) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			err = errors.New("want a whole number, 0 or more")
		}
		return seed, err
	}}, "seed", "seed of all random numbers; the same seed gives the same result")
}

// JSONFlag adds --json. object names the printed value.
func JSONFlag(cmd *cobra.Command, v *bool, object string) {
	cmd.Flags().BoolVar(v, "json", false, "print "+object+" in place of text")
}

// QuietFlag adds --quiet.
func QuietFlag(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "quiet", false, "print the result and errors only")
}

// OutFlag adds --out, in short -o.
func OutFlag(cmd *cobra.Command, v *string, usage string) {
	cmd.Flags().StringVarP(v, "out", "o", "", usage)
}

// RoundsFlag adds --rounds with the value as its default.
func RoundsFlag(cmd *cobra.Command, v *int) {
	if *v == 0 {
		Int(cmd, v, "rounds", 0, MostNodes, "rounds, of which the medians are taken; 0 for a number by their time")
	} else {
		Int(cmd, v, "rounds", 1, MostSamples, "rounds, of which the medians are taken")
	}
}

// MethodFlag adds --method for several methods with their forms.
func MethodFlag(cmd *cobra.Command, v *[]string) {
	cmd.Flags().StringSliceVar(v, "method", *v, "methods, alone or with a form and solve, as improved/large/solve")
	Complete(cmd, "method", methods()...)
}

func methods() []string {
	var names []string
	for _, m := range blsupdate.Methods() {
		names = append(names, m.String())
	}
	return names
}

// MethodNames lists the names of all methods.
func MethodNames() string { return strings.Join(methods(), ", ") }

// Compute has the flags that say what computes.
type Compute struct {
	Backend string
	Threads int
}

// Register adds --backend and --threads.
func (c *Compute) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.Backend, "backend", "",
		"pure or openblas; by default $BLSKERNEL_BACKEND, else pure, or openblas if built with -tags cgo")
	Complete(cmd, "backend", "pure", "openblas")
	ThreadsFlag(cmd, &c.Threads)
}

// Lookup finds the backend and sets the number of threads.
func (c *Compute) Lookup() (blskernel.Backend, error) {
	b, err := LookupBackends([]string{c.Backend}, c.Threads)
	if err != nil {
		return nil, err
	}
	return b[0], nil
}

// ThreadsFlag adds --threads.
func ThreadsFlag(cmd *cobra.Command, v *int) {
	Int(cmd, v, "threads", 0, MostSamples, "at most this many threads; 0 for all processors")
}

// BackendsFlag adds --backend for several backends. more is added to the help text.
func BackendsFlag(cmd *cobra.Command, v *[]string, more string) {
	cmd.Flags().StringSliceVar(v, "backend", nil, "pure or openblas, or both"+more)
	Complete(cmd, "backend", "pure", "openblas")
}

// LookupBackends finds the backends of these names, the selected one for an empty name, and sets the
// number of threads.
//
//	errors: a UsageError for an unknown name; another error for a backend that is not available or a
//	wrong environment.
func LookupBackends(names []string, threads int) ([]blskernel.Backend, error) {
	var backends []blskernel.Backend
	var found []string
	for _, name := range names {
		b, err := blskernel.Lookup(name)
		var unavailable *blskernel.UnavailableError
		switch {
		case err != nil && name != "" && !errors.As(err, &unavailable):
			return nil, Usagef("--backend is %q; want pure or openblas", name)
		case err != nil:
			return nil, err
		}
		backends, found = append(backends, b), append(found, b.Name())
	}
	if err := CheckUnique("backend", found); err != nil {
		return nil, err
	}
	blskernel.SetThreads(threads)
	return backends, nil
}

// Nodes has the flags of the nodes of a model.
type Nodes struct{ Groups, GroupNodes, Enhancement int }

// Register adds --groups, --group-nodes and --enhancement with the values as their defaults.
func (n *Nodes) Register(cmd *cobra.Command) {
	n.RegisterFeatures(cmd)
	Int(cmd, &n.Enhancement, "enhancement", 0, MostNodes, "enhancement nodes")
}

// RegisterFeatures adds --groups and --group-nodes with the values as their defaults.
func (n *Nodes) RegisterFeatures(cmd *cobra.Command) {
	Int(cmd, &n.Groups, "groups", 1, MostNodes, "groups of feature nodes")
	Int(cmd, &n.GroupNodes, "group-nodes", 1, MostNodes, "feature nodes of each group")
}

// Check returns an error for more nodes than there may be.
func (n *Nodes) Check() error {
	if k := int64(n.Groups)*int64(n.GroupNodes) + int64(n.Enhancement); k > MostNodes {
		return Usagef("--groups, --group-nodes and --enhancement make %d nodes; want at most %d", k, MostNodes)
	}
	return nil
}
