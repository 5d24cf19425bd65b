package stream

// The fields of [Options] that errors suggest.
const (
	OptionHeader     = "Header"
	OptionInputs     = "Inputs"
	OptionTargets    = "Targets"
	OptionExclude    = "Exclude"
	OptionMissing    = "Missing"
	OptionDecimal    = "Decimal"
	OptionThousands  = "Thousands"
	OptionInputArray = "InputArray"
)

// A Remedy is a field of [Options], together with a value, that avoids an [Error].
type Remedy struct {
	Option string // the name of the field
	Value  string // as text, or one entry of a list; empty if only the user knows it
}

// exclude suggests leaving out a column that is not known yet. Error.in replaces it with a Remedy that
// names the column.
var exclude = Remedy{Option: OptionExclude}

// String returns the Remedy as a field of Options, as in "Options.Exclude = age".
func (r Remedy) String() string {
	text := "Options." + r.Option
	if r.Value != "" {
		text += " = " + r.Value
	}
	return text
}
