package npy

import (
	"strconv"
)

// parseHeader reads the dictionary of a header. It knows the literals that the three keys need and no
// others.
func parseHeader(text []byte) (Header, error) {
	p := &parser{text: text}
	var h Header
	var descr string
	seen := map[string]bool{}
	if err := p.expect('{'); err != nil {
		return h, err
	}
	for !p.accept('}') {
		key, err := p.quoted()
		if err != nil {
			return h, err
		}
		if seen[key] {
			return h, errorf("header has the key %s twice", shorten(key))
		}
		seen[key] = true
		if err := p.expect(':'); err != nil {
			return h, err
		}
		switch key {
		case "descr":
			if p.peek() == '[' || p.peek() == '(' || p.peek() == '{' {
				return h, errorf("a structured array, which has named fields: save its columns as one plain array, " +
					"for example with numpy.lib.recfunctions.structured_to_unstructured")
			}
			descr, err = p.quoted()
		case "fortran_order":
			h.Fortran, err = p.boolean()
		case "shape":
			h.Shape, err = p.tuple()
		default:
			return h, errorf("header has the unknown key %s", shorten(key))
		}
		if err != nil {
			return h, err
		}
		if !p.accept(',') {
			if err := p.expect('}'); err != nil {
				return h, err
			}
			break
		}
	}
	if p.peek() != 0 || p.at != len(p.text) {
		return h, errorf("header goes on after its dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return h, errorf("header lacks the key %q", key)
		}
	}
	var err error
	if h.DType, err = ParseDType(descr); err != nil {
		return h, err
	}
	return h, h.SetBytes()
}

// A parser reads a Python literal from left to right.
type parser struct {
	text []byte
	at   int
}

// peek passes spaces and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return c
		}
	}
	return 0
}

// accept passes c, which is not 0, if it is next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(c byte) error {
	if !p.accept(c) {
		return errorf("header is no dictionary that numpy.save writes: want %q at its byte %d", c, p.at)
	}
	return nil
}

// quoted reads a string in single or double quotation marks, without escapes: no key or type has one.
func (p *parser) quoted() (string, error) {
	mark := p.peek()
	if mark != '\'' && mark != '"' {
		return "", errorf("header has no string at its byte %d", p.at)
	}
	start := p.at + 1
	for i := start; i < len(p.text); i++ {
		switch p.text[i] {
		case mark:
			p.at = i + 1
			return string(p.text[start:i]), nil
		case '\\', '\n':
			return "", errorf("header has a string with an escape at its byte %d", i)
		}
	}
	return "", errorf("header has a string without end at its byte %d", p.at)
}

// boolean reads True or False.
func (p *parser) boolean() (bool, error) {
	p.peek()
	for _, word := range []string{"True", "False"} {
		if end := p.at + len(word); end <= len(p.text) && string(p.text[p.at:end]) == word {
			p.at = end
			return word == "True", nil
		}
	}
	return false, errorf("header has neither True nor False for 'fortran_order'")
}

// tuple reads (), (n,) or (n, m, ...). Python 2 wrote an L after long integers.
func (p *parser) tuple() ([]int64, error) {
	if err := p.expect('('); err != nil {
		return nil, err
	}
	var shape []int64
	for !p.accept(')') {
		p.peek()
		start := p.at
		for p.at < len(p.text) && (p.text[p.at] == '-' || '0' <= p.text[p.at] && p.text[p.at] <= '9') {
			p.at++
		}
		n, err := strconv.ParseInt(string(p.text[start:p.at]), 10, 64)
		if err != nil {
			return nil, errorf("header has a size in 'shape' that is no number, or too large, at its byte %d", start)
		}
		if n < 0 {
			return nil, errorf("header has the negative size %d in 'shape'", n)
		}
		if p.at < len(p.text) && p.text[p.at] == 'L' {
			p.at++
		}
		if shape = append(shape, n); len(shape) > maxDims {
			return nil, errorf("header has more than %d sizes in 'shape'", maxDims)
		}
		if !p.accept(',') {
			return shape, p.expect(')')
		}
	}
	return shape, nil
}
