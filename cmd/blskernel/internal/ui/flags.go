package ui

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	// MaxSamples bounds counts: more would exceed any memory. The product of two fits in an int64.
	MaxSamples = 1 << 30
	// MaxNodes bounds the nodes: a square matrix of this order takes 80 GB.
	MaxNodes = 100_000
)

// A value implements pflag.Value for a flag of any type. text is the default or the argument given.
type value[T any] struct {
	to    *T
	text  string
	kind  string
	parse func(string) (T, error)
}

func (v *value[T]) Type() string   { return v.kind }
func (v *value[T]) String() string { return v.text }

func (v *value[T]) Set(text string) error {
	to, err := v.parse(text)
	if err == nil {
		*v.to, v.text = to, text
	}
	return err
}

// Int adds a flag for a number from least to most, whose default is *to.
func Int(cmd *cobra.Command, to *int, name string, least, most int, usage string) {
	cmd.Flags().Var(&value[int]{to, strconv.Itoa(*to), "int", func(text string) (int, error) {
		v, err := strconv.Atoi(text)
		if err != nil || v < least || v > most {
			err = fmt.Errorf("want %d to %d", least, most)
		}
		return v, err
	}}, name, usage)
}

// Number returns a parser that accepts the numbers for which valid is true. Its error text is want.
func Number[T ~float64](want string, valid func(v T) bool) func(string) (T, error) {
	return func(text string) (T, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !valid(T(v)) {
			return 0, errors.New(want)
		}
		return T(v), nil
	}
}

// Parsed adds a flag whose value is parsed by parse. Its default is *to, shown in the help as text.
func Parsed[T any](cmd *cobra.Command, to *T, name, text, usage string, parse func(string) (T, error)) {
	cmd.Flags().Var(&value[T]{to, text, "string", parse}, name, usage)
}

// Enum adds a flag for one of words, parsed by parse. words[0], perhaps empty, is shown as the default.
func Enum[T any](cmd *cobra.Command, to *T, name, usage string, parse func(string) (T, error), words ...string) {
	said := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "" })
	Parsed(cmd, to, name, words[0], usage, func(text string) (T, error) {
		v, err := parse(text)
		if err != nil {
			err = errors.New("want " + Join(said, "or"))
		}
		return v, err
	})
	Complete(cmd, name, said...)
}

// Choice is Enum with the words themselves as values. It ignores case, and sets *to to words[0].
func Choice(cmd *cobra.Command, to *string, name, usage string, words ...string) {
	*to = words[0]
	Enum(cmd, to, name, usage, func(text string) (string, error) {
		if i := find(words, text); i >= 0 {
			return words[i], nil
		}
		return "", strconv.ErrSyntax
	}, words...)
}

// Automatic is the value of a flag that leaves the choice to the command.
const Automatic = "auto"

// Auto adds a flag whose value is parsed by parse. The default is auto, which sets the zero value of T.
// words, if given, lists all values that parse accepts.
func Auto[T any](cmd *cobra.Command, to *T, name, usage string, parse func(string) (T, error), words ...string) {
	orAuto := func(text string) (v T, err error) {
		if strings.EqualFold(text, Automatic) {
			return v, nil
		}
		return parse(text)
	}
	if words != nil {
		Enum(cmd, to, name, usage, orAuto, append([]string{Automatic}, words...)...)
		return
	}
	Parsed(cmd, to, name, Automatic, usage, orAuto)
	Complete(cmd, name, Automatic)
}

func find(words []string, text string) int {
	return slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
}

// Columns adds a flag for column names. Names may be empty: an empty value is a list of one empty name.
func Columns(cmd *cobra.Command, to *[]string, name, usage string) {
	cmd.Flags().StringSliceVar(to, name, nil, usage)
	f := cmd.Flags().Lookup(name)
	f.Value = columnNames{f.Value.(listValue)}
}

type listValue interface {
	pflag.Value
	pflag.SliceValue
}

// columnNames is pflag's list, except that an empty value is one empty name instead of no names.
type columnNames struct{ listValue }

func (c columnNames) Set(text string) error {
	if text == "" {
		text = `""`
	}
	return c.listValue.Set(text)
}

// offered is the key of the flag annotation that lists the values for shell completion.
const offered = "offered"

// Complete sets the values that shell completion offers for a flag. It panics if there is no such flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.Flags().SetAnnotation(flag, offered, values); err != nil {
		panic(err)
	}
}

// registerCompletions passes the values set by Complete to cobra, for all commands below root. Only
// completion needs them, and cobra keeps them, with their commands, until the process ends.
func registerCompletions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if values := f.Annotations[offered]; values != nil {
				fixed := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
				if err := cmd.RegisterFlagCompletionFunc(f.Name, fixed); err != nil {
					panic(err)
				}
			}
		})
	}
}

// CheckUnique returns an error, which names the flag, if an element of list is repeated.
func CheckUnique[E comparable](flag string, list []E) error {
	for i, e := range list {
		if slices.Contains(list[:i], e) {
			return Usagef("--%s has %v twice", flag, e)
		}
	}
	return nil
}

func checkNotEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		if f.Value.Type() == "string" && f.Value.String() == "" || isList && len(list.GetSlice()) == 0 {
			err = Usagef("--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return err
}

// SeedFlag adds --seed, whose default is 1.
func SeedFlag(cmd *cobra.Command, v *uint64) {
	*v = 1
	cmd.Flags().Var(&value[uint64]{v, "1", "uint", func(text string) (uint64, error) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			err = errors.New("want a whole number from 0 to 18446744073709551615")
		}
		return seed, err
	}}, "seed", "seed of all random numbers; the same seed gives the same result")
}

// JSONFlag adds --json. object names the printed value.
func JSONFlag(cmd *cobra.Command, v *bool, object string) {
	cmd.Flags().BoolVar(v, "json", false, "print "+object+" instead of text")
}

// QuietFlag adds --quiet, which suppresses everything but the result and errors.
func QuietFlag(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "quiet", false, "print only the result and errors")
}

// OutFlag adds --out, or -o for short.
func OutFlag(cmd *cobra.Command, v *string, usage string) {
	cmd.Flags().StringVarP(v, "out", "o", "", usage)
}

// Methods returns the names of all methods.
func Methods() []string {
	var names []string
	for _, m := range blsupdate.Methods() {
		names = append(names, m.String())
	}
	return names
}

// Compute holds the flags that select the backend and the number of threads.
type Compute struct {
	Backend string
	Threads int
}

// Register adds --backend and --threads.
func (c *Compute) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.Backend, "backend", "",
		"pure or openblas; by default $BLSKERNEL_BACKEND or, if that is unset, pure (in a program built with -tags cgo, openblas if it is available)")
	Complete(cmd, "backend", "pure", "openblas")
	ThreadsFlag(cmd, &c.Threads)
}

// Lookup finds the backend and sets the number of threads. It returns the errors of LookupBackends.
func (c *Compute) Lookup() (blskernel.Backend, error) {
	b, err := lookup(c.Backend)
	if err == nil {
		blskernel.SetThreads(c.Threads)
	}
	return b, err
}

func lookup(name string) (blskernel.Backend, error) {
	b, err := blskernel.Lookup(name)
	var unavailable *blskernel.UnavailableError
	if err != nil && name != "" && !errors.As(err, &unavailable) {
		return nil, Usagef("--backend is %q; want pure or openblas", name)
	}
	return b, err
}

// ThreadsFlag adds --threads, whose default is *v; 0 stands for GOMAXPROCS.
func ThreadsFlag(cmd *cobra.Command, v *int) {
	Int(cmd, v, "threads", 0, MaxSamples, "maximum number of threads; 0 for $GOMAXPROCS or, if that is unset, all processors")
}

// CheckNodes returns an error for more than MaxNodes nodes.
func CheckNodes(f bls.FeatureOptions) error {
	if k := int64(cmp.Or(f.Groups, bls.DefaultGroups))*int64(f.GroupNodes) + int64(f.EnhancementNodes); k > MaxNodes {
		return Usagef("--groups, --group-nodes and --enhancement make %d nodes; want at most %d", k, MaxNodes)
	}
	return nil
}
