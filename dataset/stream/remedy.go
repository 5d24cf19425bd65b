package stream

import "blskernel/internal/io/names"

// An Option is a field of [Options] that a Remedy sets.
type Option int

// The options that errors suggest.
const (
	OptionHeader Option = iota
	OptionInputs
	OptionTargets
	OptionExclude
	OptionMissing
	OptionDecimal
	OptionThousands
	OptionInputArray
	OptionNA
)

var optionNames = []string{"Header", "Inputs", "Targets", "Exclude", "Missing", "Decimal", "Thousands", "InputArray", "NA"}

func (o Option) String() string { return names.String(optionNames, o) }

// A Remedy is an option, together with a value, that avoids an [Error].
type Remedy struct {
	Option Option
	Value  string // as text, or one entry of a list; empty if only the user knows it
}

// exclude suggests leaving out a column. Error.in replaces it with a Remedy that names the column.
var exclude = Remedy{Option: OptionExclude}

// String returns the Remedy as a field of Options, as in "Options.Exclude = age".
func (r Remedy) String() string {
	text := "Options." + r.Option.String()
	if r.Value != "" {
		text += " = " + r.Value
	}
	return text
}
