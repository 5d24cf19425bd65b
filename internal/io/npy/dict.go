package npy

import (
	"regexp"
	"strconv"
	"strings"

	"blskernel/internal/io/names"
)

// entry matches the first key of a dictionary with its value, a Python literal, and the comma after it.
var entry = regexp.MustCompile(`^\s*['"](descr|fortran_order|shape)['"]\s*:\s*` +
	`(['"][^'"\\\n]*['"]|True|False|\([-\d\s,L]*\)|[\[(].*)\s*(?:,\s*|$)`)

// parseHeader parses the dictionary of a header. It accepts only the three keys of the format, each
// with a Python literal as its value.
func parseHeader(text string) (Header, error) {
	var h Header
	rest, begins := strings.CutPrefix(strings.TrimSpace(text), "{")
	rest, ends := strings.CutSuffix(rest, "}")
	values := map[string]string{}
	for rest = strings.TrimSpace(rest); rest != "" && begins && ends; {
		m := entry.FindStringSubmatch(rest)
		if m == nil || values[m[1]] != "" {
			return h, errorf("the header is not a dictionary as numpy.save writes it: cannot parse %s", names.Shorten(rest))
		}
		if m[1] == "descr" && strings.IndexByte("[(", m[2][0]) >= 0 {
			return h, errorf("is a structured array with named fields; save its columns as one plain array, " +
				"for example with numpy.lib.recfunctions.structured_to_unstructured")
		}
		values[m[1]] = m[2]
		rest = rest[len(m[0]):]
	}
	descr, order, shape := values["descr"], values["fortran_order"], values["shape"]
	h.Fortran = order == "True"
	switch {
	case !begins || !ends:
		return h, errorf("the header is not a dictionary; write the array with numpy.save")
	case descr == "" || strings.IndexByte(`'"`, descr[0]) < 0:
		return h, errorf("the header lacks the type of the elements, 'descr'; write the array with numpy.save")
	case !h.Fortran && order != "False":
		return h, errorf("the header has neither True nor False for 'fortran_order'; write the array with numpy.save")
	case !strings.HasPrefix(shape, "(") || !strings.HasSuffix(shape, ")"):
		return h, errorf("the header has no tuple of sizes for 'shape'; write the array with numpy.save")
	}
	var err error
	if h.DType, err = ParseDType(descr[1 : len(descr)-1]); err != nil {
		return h, err
	}
	if h.Shape, err = parseShape(shape[1 : len(shape)-1]); err != nil {
		return h, err
	}
	return h, h.SetBytes()
}

// parseShape reads the sizes of a tuple. It accepts a final comma, and Python 2's L after an integer.
func parseShape(text string) (shape []int64, err error) {
	for text = strings.TrimSpace(text); text != ""; {
		var size string
		size, text, _ = strings.Cut(text, ",")
		text = strings.TrimSpace(text)
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(size), "L"), 10, 64)
		switch {
		case err != nil:
			return nil, errorf("the header has the size %s in 'shape'; want integers from 0 to 2^63-1", names.Shorten(size))
		case n < 0:
			return nil, errorf("the header has the size %d in 'shape'; want integers from 0 to 2^63-1", n)
		case len(shape) == maxDims:
			return nil, errorf("the header has more than %d sizes in 'shape'; save the array with fewer dimensions", maxDims)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
