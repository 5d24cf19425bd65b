package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bench"
	"blskernel/bls"
	"blskernel/blsupdate"

	"github.com/spf13/cobra"
)

// settings are the flags of demo.
type settings struct {
	initial, batch, updates                     int
	featureGroups, groupNodes, enhancementNodes int
	lambda                                      ridge
	seed                                        uint64
	methods                                     []string
	form                                        string
	solve                                       bool
	backend                                     string
	threads                                     int
	json, check                                 bool
}

// register adds the flags to cmd; the values that s has become their defaults.
func (s *settings) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&s.initial, "initial", s.initial, "samples of the first training (l0)")
	f.IntVar(&s.batch, "batch", s.batch, "samples added by each update (q)")
	f.IntVar(&s.updates, "updates", s.updates, "number of updates")
	f.IntVar(&s.featureGroups, "feature-groups", s.featureGroups, "groups of feature nodes")
	f.IntVar(&s.groupNodes, "group-nodes", s.groupNodes, "feature nodes of each group")
	f.IntVar(&s.enhancementNodes, "enhancement-nodes", s.enhancementNodes, "enhancement nodes")
	f.Var(&s.lambda, "lambda", "ridge of the first training, as 1e-6 or 2^-30; 0 for the exact pseudoinverse")
	f.Uint64Var(&s.seed, "seed", s.seed, "seed of all random numbers; the same seed gives the same run")
	f.StringSliceVar(&s.methods, "methods", s.methods, "methods to compare, of: "+methodNames())
	f.StringVar(&s.form, "form", s.form, "form of the update: auto (by flops), paper (by q <= k), small (q x q), large (k x k), compressed (QR of the batch)")
	f.BoolVar(&s.solve, "solve", s.solve, "let improved solve for B instead of multiplying by an inverse")
	f.StringVar(&s.backend, "backend", s.backend, "pure or openblas; by default $BLSKERNEL_BACKEND, else openblas where it can be had, else pure")
	f.IntVar(&s.threads, "threads", s.threads, "most threads to use; 0 for all processors")
	f.BoolVar(&s.json, "json", s.json, "print one JSON object for each step and method")
	f.BoolVar(&s.check, "check", s.check, "solve from scratch after each step and compare the weights (slow)")
}

const (
	// mostSamples is far beyond any memory and small enough that products of two flags do not overflow.
	mostSamples = 1 << 30
	// mostNodes is where one k×k matrix takes 80 GB: more is a slip of the keyboard.
	mostNodes = 100_000
)

// experiment turns the flags into an experiment without data, or says which flag is wrong.
func (s *settings) experiment() (*bench.Incremental, error) {
	for _, check := range []struct {
		flag               string
		value, least, most int
	}{
		{"initial", s.initial, 1, mostSamples},
		{"batch", s.batch, 1, mostSamples},
		{"updates", s.updates, 0, mostSamples},
		{"feature-groups", s.featureGroups, 1, mostNodes},
		{"group-nodes", s.groupNodes, 1, mostNodes},
		{"enhancement-nodes", s.enhancementNodes, 0, mostNodes},
		{"threads", s.threads, 0, mostSamples},
	} {
		if check.value < check.least || check.value > check.most {
			return nil, usageError{fmt.Errorf("--%s is %d; want %d to %d", check.flag, check.value, check.least, check.most)}
		}
	}
	if k := int64(s.featureGroups)*int64(s.groupNodes) + int64(s.enhancementNodes); k > mostNodes {
		return nil, usageError{fmt.Errorf("--feature-groups, --group-nodes and --enhancement-nodes make %d nodes; want at most %d", k, mostNodes)}
	}
	methods, err := parseMethods("methods", s.methods)
	if err != nil {
		return nil, err
	}
	form, err := blsupdate.ParseForm(s.form)
	if err != nil {
		return nil, usageError{fmt.Errorf("--form is %q; want auto, paper, small, large or compressed", s.form)}
	}
	backend, err := lookupBackend("backend", s.backend)
	if err != nil {
		return nil, err
	}
	blskernel.SetThreads(s.threads)
	variants := bench.Variants(methods...)
	for i := range variants {
		variants[i].Form, variants[i].Solve = form, s.solve
	}
	return &bench.Incremental{
		Initial: s.initial, Batch: s.batch, Updates: s.updates, Check: s.check,
		Features: bls.FeatureOptions{Groups: s.featureGroups, GroupNodes: s.groupNodes, EnhancementNodes: s.enhancementNodes, Seed: s.seed},
		Variants: variants,
		Update:   blsupdate.Options{Lambda: float64(s.lambda), Backend: backend},
	}, nil
}

// methodNames lists the names of all methods.
func methodNames() string {
	var names []string
	for _, m := range blsupdate.Methods() {
		names = append(names, m.String())
	}
	return strings.Join(names, ", ")
}

// parseMethods returns the methods that a flag names.
func parseMethods(flag string, names []string) ([]blsupdate.Method, error) {
	if len(names) == 0 {
		return nil, usageError{fmt.Errorf("--%s is empty; want some of %s", flag, methodNames())}
	}
	var methods []blsupdate.Method
	for _, name := range names {
		m, err := blsupdate.ParseMethod(name)
		if err != nil {
			return nil, usageError{fmt.Errorf("--%s has %q; want some of %s", flag, name, methodNames())}
		}
		if slices.Contains(methods, m) {
			return nil, usageError{fmt.Errorf("--%s has %v twice", flag, m)}
		}
		methods = append(methods, m)
	}
	return methods, nil
}

// parseVariants returns the methods with their forms, as improved/large/solve, that a flag names.
func parseVariants(flag string, names []string) ([]bench.Variant, error) {
	if len(names) == 0 {
		return nil, usageError{fmt.Errorf("--%s is empty; want some of %s", flag, methodNames())}
	}
	var variants []bench.Variant
	for _, name := range names {
		method, _, _ := strings.Cut(name, "/")
		if _, err := blsupdate.ParseMethod(method); err != nil {
			return nil, usageError{fmt.Errorf("--%s has %q; want some of %s", flag, method, methodNames())}
		}
		v, err := bench.ParseVariant(name)
		switch {
		case err != nil:
			return nil, usageError{fmt.Errorf("--%s has %q; want a form, auto, paper, small, large or compressed, or solve, after the /", flag, name)}
		case slices.Contains(variants, v):
			return nil, usageError{fmt.Errorf("--%s has %v twice", flag, v)}
		}
		variants = append(variants, v)
	}
	return variants, nil
}

// lookupBackend finds the backend that a flag names. A name that means nothing is the fault of the command
// line; one that cannot be had here, or a wrong environment, is not.
func lookupBackend(flag, name string) (blskernel.Backend, error) {
	b, err := blskernel.Lookup(name)
	var unavailable *blskernel.UnavailableError
	if err != nil && name != "" && !errors.As(err, &unavailable) {
		return nil, usageError{fmt.Errorf("--%s is %q; want pure or openblas", flag, name)}
	}
	return b, err
}

// explain puts an error of an experiment in terms of the flags where it is one that they can mend.
func explain(err error) error {
	var samples *bench.SamplesError
	var rank *blsupdate.RankError
	var scale *bls.ScaleError
	switch {
	case errors.As(err, &samples):
		return usageError{fmt.Errorf("%s has %d samples and %d + %d x %d are wanted: lower --initial, --updates or --batch",
			samples.Name, samples.Have, samples.Initial, samples.Updates, samples.Batch)}
	case errors.As(err, &rank):
		return usageError{fmt.Errorf("--initial is %d, fewer samples than the %d nodes, and --lambda is not 0: raise --initial, lower --enhancement-nodes, --group-nodes or --feature-groups, or set --lambda 0 for the exact pseudoinverse",
			rank.Samples, rank.Nodes)}
	case errors.As(err, &scale):
		return fmt.Errorf("%w (here: another --seed or more --enhancement-nodes)", err)
	}
	return err
}
