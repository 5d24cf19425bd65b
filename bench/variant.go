package bench

import (
	"fmt"
	"strings"

	"blskernel/blsupdate"
)

// A Variant is a method and the way in which it computes an update.
type Variant struct {
	Method blsupdate.Method
	Form   blsupdate.Form // of an update; the zero value is blsupdate.Auto
	Solve  bool           // for Improved: solve a linear system for B
}

// PlannerSeries stands for the planner's choice in a list of methods.
const PlannerSeries = "planner"

// Variants returns a Variant with the default choices for each method.
func Variants(methods ...blsupdate.Method) []Variant {
	var all []Variant
	for _, m := range methods {
		all = append(all, Variant{Method: m})
	}
	return all
}

// String returns the method, the form unless it is Auto, and "solve" if Solve is set, separated by
// slashes, such as "improved/large/solve".
func (v Variant) String() string {
	return variantName(v.Method.String(), v.Form.String(), v.Solve)
}

// variantName is Variant.String for the names of a method and a form; an empty form stands for auto.
func variantName(method, form string, solve bool) string {
	if form != "" && form != blsupdate.Auto.String() {
		method += "/" + form
	}
	if solve {
		method += "/solve"
	}
	return method
}

// ParseVariant parses the result of Variant.String; the parts after the method may be in any order.
// The error names the invalid part.
func ParseVariant(s string) (Variant, error) {
	parts := strings.Split(s, "/")
	m, err := blsupdate.ParseMethod(parts[0])
	if err != nil {
		return Variant{}, err
	}
	v := Variant{Method: m}
	for _, part := range parts[1:] {
		form, err := blsupdate.ParseForm(part)
		switch {
		case part == "solve":
			v.Solve = true
		case err == nil:
			v.Form = form
		default:
			return Variant{}, fmt.Errorf(
				"bench: %q is neither solve nor a form (auto, paper, small, large or compressed)", part)
		}
	}
	return v, nil
}

func (v Variant) options(opt blsupdate.Options) blsupdate.Options {
	opt.Form, opt.Solve = v.Form, v.Solve
	return opt
}
