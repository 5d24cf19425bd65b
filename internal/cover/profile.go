package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A block is a piece of a file, as a profile names it: from line.column to line.column.
type block struct {
	file                        string // with the import path of its package
	line, column, toLine, toCol int
}

func (b block) String() string { return fmt.Sprintf("%s:%d-%d", b.file, b.line, b.toLine) }

// A count is what is known of a block.
type count struct {
	statements int
	executed   bool
}

// A profile is the sum of several.
type profile map[block]count

// readFile adds a file.
func (p profile) readFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := p.read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// read adds a profile. A block may be in it many times, once for each test program.
func (p profile) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	n := 0
	for n = 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, "mode: ") {
			continue
		}
		b, c, err := parseLine(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		c.executed = c.executed || p[b].executed
		p[b] = c
	}
	if lines.Err() == nil && n == 1 {
		return errors.New("is empty")
	}
	return lines.Err()
}

// parseLine parses a line, such as
//
//	blskernel/mat/dense.go:12.34,15.2 3 1
//
// of which the last two numbers are those of the statements and of the executions.
func parseLine(line string) (block, count, error) {
	var b block
	var c count
	file, rest, ok := cutLast(line, ":")
	fields := strings.FieldsFunc(rest, func(r rune) bool { return r == '.' || r == ',' || r == ' ' })
	if !ok || len(fields) != 6 {
		return b, c, fmt.Errorf("%q is no line of a profile", line)
	}
	var numbers [6]int
	for i, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil {
			return b, c, fmt.Errorf("%q is no line of a profile", line)
		}
		numbers[i] = v
	}
	b = block{file, numbers[0], numbers[1], numbers[2], numbers[3]}
	return b, count{numbers[4], numbers[5] > 0}, nil
}

// cutLast is strings.Cut around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// covered is what is known of a package.
type covered struct {
	path                string
	covered, statements int
	uncovered           []block
}

// percent returns the percentage of the statements that were executed; of none, all were.
func (c *covered) percent() float64 {
	if c.statements == 0 {
		return 100
	}
	return 100 * float64(c.covered) / float64(c.statements)
}

// packages returns the packages that have statements, by path, each with its blocks in their order.
func (p profile) packages() []*covered {
	of := map[string]*covered{}
	var all []*covered
	for b, c := range p {
		name := path.Dir(b.file)
		if of[name] == nil {
			of[name] = &covered{path: name}
			all = append(all, of[name])
		}
		pkg := of[name]
		pkg.statements += c.statements
		if c.executed {
			pkg.covered += c.statements
		} else {
			pkg.uncovered = append(pkg.uncovered, b)
		}
	}
	for _, pkg := range all {
		slices.SortFunc(pkg.uncovered, func(a, b block) int {
			return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
		})
	}
	slices.SortFunc(all, func(a, b *covered) int { return cmp.Compare(a.path, b.path) })
	return all
}

// An exception is a package that need not reach what the others do.
type exception struct {
	least  float64
	reason string
}

// parseExceptions reads the list: empty lines and those that begin with # say nothing.
func parseExceptions(text string) (map[string]exception, error) {
	all := map[string]exception{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		if len(fields) < 3 {
			return nil, fmt.Errorf("exceptions.txt, line %d: want a package, a percentage and a reason", n)
		}
		least, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || !(least >= 0 && least <= 100) {
			return nil, fmt.Errorf("exceptions.txt, line %d: %q is no percentage", n, fields[1])
		}
		if _, ok := all[fields[0]]; ok {
			return nil, fmt.Errorf("exceptions.txt, line %d: %s is there twice", n, fields[0])
		}
		all[fields[0]] = exception{least, fields[2]}
	}
	return all, nil
}
