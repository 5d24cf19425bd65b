package npy

import (
	"slices"
	"strconv"
	"strings"
)

// parseHeader reads the dictionary of a header: the Python literals of its three keys and no others.
func parseHeader(text string) (Header, error) {
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
			descr, err = p.descr()
		case "fortran_order":
			h.Fortran, err = p.boolean()
		case "shape":
			h.Shape, err = p.tuple()
		default:
			err = errorf("header has the unknown key %s", shorten(key))
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
	if p.peek(); p.at != len(p.text) {
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
	text string
	at   int
}

// peek skips spaces and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// accept skips c, which is not 0, if it is next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(c byte) error {
	if !p.accept(c) {
		return errorf("header is no dictionary that numpy.save writes; want %q at its byte %d", c, p.at)
	}
	return nil
}

// descr reads the type of a plain array.
func (p *parser) descr() (string, error) {
	if slices.Contains([]byte("[({"), p.peek()) {
		return "", errorf("a structured array with named fields; save its columns as one plain array, " +
			"for example with numpy.lib.recfunctions.structured_to_unstructured")
	}
	return p.quoted()
}

// quoted reads a string in single or double quotation marks, without escapes: no key or type has one.
func (p *parser) quoted() (string, error) {
	mark := p.peek()
	if mark != '\'' && mark != '"' {
		return "", errorf("header has no string at its byte %d", p.at)
	}
	start := p.at + 1
	n := strings.IndexAny(p.text[start:], string(mark)+"\\\n")
	switch {
	case n < 0:
		return "", errorf("header has a string without end at its byte %d", p.at)
	case p.text[start+n] != mark:
		return "", errorf("header has a string with an escape at its byte %d", start+n)
	}
	p.at = start + n + 1
	return p.text[start : start+n], nil
}

// boolean reads True or False.
func (p *parser) boolean() (bool, error) {
	p.peek()
	for _, word := range []string{"True", "False"} {
		if strings.HasPrefix(p.text[p.at:], word) {
			p.at += len(word)
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
		rest := p.text[p.at:]
		number := rest[:len(rest)-len(strings.TrimLeft(rest, "-0123456789"))]
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, errorf("header has a size in 'shape' that is no number, or too large, at its byte %d", p.at)
		}
		if n < 0 {
			return nil, errorf("header has the negative size %d in 'shape'", n)
		}
		p.at += len(number)
		if strings.HasPrefix(p.text[p.at:], "L") {
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
