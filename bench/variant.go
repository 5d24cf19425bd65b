package bench

import (
	"fmt"
	"strings"

	"blskernel/blsupdate"
)

// A Variant is a method with its choices.
type Variant struct {
	Method blsupdate.Method
	Form   blsupdate.Form // of an update; the zero value is blsupdate.Auto
	Solve  bool           // of Improved: solve for B
}

// PlannerSeries stands for the planner's method in a series of methods.
const PlannerSeries = "planner"

// Variants returns the methods with the zero value of their choices.
func Variants(methods ...blsupdate.Method) []Variant {
	var all []Variant
	for _, m := range methods {
		all = append(all, Variant{Method: m})
	}
	return all
}

// String returns the method, with its form where that is not Auto and with solve where it solves, as
// improved/large/solve.
func (v Variant) String() string {
	return variantName(v.Method.String(), v.Form.String(), v.Solve)
}

// variantName is Variant.String for names; an empty form stands for auto.
func variantName(method, form string, solve bool) string {
	if form != "" && form != blsupdate.Auto.String() {
		method += "/" + form
	}
	if solve {
		method += "/solve"
	}
	return method
}

// ParseVariant is the inverse of Variant.String; the parts after the method may have any order. The
// error names the wrong part.
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
				"bench: %q is neither a form, auto, paper, small, large or compressed, nor solve", part)
		}
	}
	return v, nil
}

func (v Variant) options(opt blsupdate.Options) blsupdate.Options {
	opt.Form, opt.Solve = v.Form, v.Solve
	return opt
}
