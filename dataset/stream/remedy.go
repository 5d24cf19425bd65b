package stream

import "blskernel/internal/io/names"

// An Option is a field of [Options] that a Remedy sets.
type Option int

// The options that errors advise.
const (
	OptionHeader Option = iota
	OptionInputs
	OptionTargets
	OptionExclude
	OptionMissing
	OptionDecimal
	OptionThousands
)

var optionNames = []string{"Header", "Inputs", "Targets", "Exclude", "Missing", "Decimal", "Thousands"}

func (o Option) String() string { return names.String(optionNames, o) }

// A Remedy is an option, with its value, that avoids an [Error].
type Remedy struct {
	Option Option
	Value  string // as text, of a list one entry; empty where only the user knows it
}

// exclude is the Remedy for a column until the column is known.
var exclude = Remedy{Option: OptionExclude}

// String writes the Remedy as the field of Options: Options.Exclude = age.
func (r Remedy) String() string {
	text := "Options." + r.Option.String()
	if r.Value != "" {
		text += " = " + r.Value
	}
	return text
}
