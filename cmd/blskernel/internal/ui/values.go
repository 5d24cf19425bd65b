package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A value is the value of a flag of any type, with the text that it was parsed from.
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

// Int adds a flag for a number within bounds, by default the value of to.
func Int(cmd *cobra.Command, to *int, name string, least, most int, usage string) {
	cmd.Flags().Var(&value[int]{to, strconv.Itoa(*to), "int", func(text string) (int, error) {
		v, err := strconv.Atoi(text)
		if err != nil || v < least || v > most {
			err = fmt.Errorf("want %d to %d", least, most)
		}
		return v, err
	}}, name, usage)
}

// Ints adds a flag for several numbers within bounds, by default the value of to. The words of zero
// stand for 0.
func Ints(cmd *cobra.Command, to *[]int, name string, least, most int, usage string, zero ...string) {
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(*to), "[]"), " ", ",")
	cmd.Flags().Var(&value[[]int]{to, text, "ints", func(text string) (list []int, err error) {
		for cell := range strings.SplitSeq(text, ",") {
			v, err := strconv.Atoi(cell)
			switch {
			case find(zero, cell) >= 0:
				v = 0
			case err != nil || v < least || v > most:
				return nil, fmt.Errorf("want %s", Join(append([]string{fmt.Sprintf("numbers from %d to %d", least, most)}, zero...), "or"))
			}
			if slices.Contains(list, v) {
				return nil, fmt.Errorf("%s is there twice", cell)
			}
			list = append(list, v)
		}
		return list, nil
	}}, name, usage)
}

// Parsed adds a flag that parse reads. Its default is the value of to, which prints as text.
func Parsed[T any](cmd *cobra.Command, to *T, name, text, usage string, parse func(string) (T, error)) {
	cmd.Flags().Var(&value[T]{to, text, "string", parse}, name, usage)
}

// Columns adds a flag for names of columns, of which one may be empty: "" is a list of that name alone.
func Columns(cmd *cobra.Command, to *[]string, name, usage string) {
	cmd.Flags().StringSliceVar(to, name, nil, usage)
	f := cmd.Flags().Lookup(name)
	f.Value = columnNames{f.Value.(listValue)}
}

type listValue interface {
	pflag.Value
	pflag.SliceValue
}

// columnNames is pflag's list, which takes "" for no names.
type columnNames struct{ listValue }

func (c columnNames) Set(text string) error {
	if text == "" {
		text = `""`
	}
	return c.listValue.Set(text)
}

// checkNotEmpty returns an error for a flag that was given and names nothing.
func checkNotEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		if f.Value.Type() == "string" && f.Value.String() == "" || isList && len(list.GetSlice()) == 0 {
			err = Usagef("--%s is empty: leave it out, or say what it should be", f.Name)
		}
	})
	return err
}

// Automatic is the value of a flag that leaves the choice to the command.
const Automatic = "auto"

// Auto adds a flag for a value that parse reads, one of some words if there are any, or auto, the
// default. The value of auto is the zero of T.
func Auto[T any](cmd *cobra.Command, to *T, name, usage string, parse func(string) (T, error), words ...string) {
	words = append([]string{Automatic}, words...)
	Parsed(cmd, to, name, Automatic, usage, func(text string) (v T, err error) {
		if strings.EqualFold(text, Automatic) {
			return v, nil
		}
		if v, err = parse(text); err != nil && len(words) > 1 {
			return v, errors.New("want " + Join(words, "or"))
		}
		return v, err
	})
	Complete(cmd, name, words...)
}

// Choice adds a flag for one of some words, by default the first, which may be empty.
func Choice(cmd *cobra.Command, to *string, name, usage string, words ...string) {
	*to = words[0]
	said := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "" })
	Parsed(cmd, to, name, words[0], usage, func(text string) (string, error) {
		i := find(words, text)
		if i < 0 {
			return "", errors.New("want " + Join(said, "or"))
		}
		return words[i], nil
	})
	Complete(cmd, name, said...)
}

// find returns the index of the word that text is, in any case, or -1.
func find(words []string, text string) int {
	return slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
}

// Complete lets the shell offer the values of a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist, or is registered twice
	}
}

// CheckNames returns an error if a list has a name twice or one that is not known. It overwrites each
// name by the known one, which differs in case alone.
func CheckNames(flag string, list, known []string) error {
	want := Join(known, "or")
	for i, name := range list {
		at := find(known, name)
		if at < 0 {
			return Usagef("--%s has %q; want %s", flag, name, want)
		}
		list[i] = known[at]
	}
	return CheckUnique(flag, list)
}

// CheckUnique returns an error if a list has an element twice.
func CheckUnique[E comparable](flag string, list []E) error {
	for i, e := range list {
		if slices.Contains(list[:i], e) {
			return Usagef("--%s has %v twice", flag, e)
		}
	}
	return nil
}
