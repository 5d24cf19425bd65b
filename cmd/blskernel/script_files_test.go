package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

// unescaped returns text with its escapes replaced, as in a Go string.
func unescaped(ts *testscript.TestScript, text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	text, err := strconv.Unquote(`"` + text + `"`)
	ts.Check(err)
	return text
}

func write(ts *testscript.TestScript, file, text string) {
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o666))
}

// withHeader returns body below a header: args[0] unless it is empty, or own if args is empty.
func withHeader(args []string, own, body string) string {
	switch {
	case len(args) == 0:
		return own + "\n" + body
	case args[0] == "":
		return body
	}
	return args[0] + "\n" + body
}

func scriptSamples(ts *testscript.TestScript, args []string) {
	rows := samples(number(ts, args[1]), uint64(number(ts, args[2])))
	text := csvText(rows, false, strings.Split(args[3], ",")...)
	if strings.HasSuffix(args[0], ".npy") {
		write(ts, args[0], string(arrayOf(text)))
		return
	}
	write(ts, args[0], withHeader(args[4:], args[3], text))
}

func scriptNPZ(ts *testscript.TestScript, args []string) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range args[1:] {
		entry, err := w.Create(name)
		ts.Check(err)
		_, err = io.WriteString(entry, ts.ReadFile(name))
		ts.Check(err)
	}
	ts.Check(w.Close())
	write(ts, args[0], b.String())
}

func scriptWords(ts *testscript.TestScript, args []string) {
	body := wordText(number(ts, args[1]), uint64(number(ts, args[2])))
	write(ts, args[0], withHeader(args[3:], "color,größe,fit,id,buy", body))
}

func scriptDigits(ts *testscript.TestScript, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(errors.Join(os.Mkdir(dir, 0o777), writeIDX(dir, number(ts, args[1]))))
}

func scriptTake(ts *testscript.TestScript, args []string) {
	lines := strings.SplitAfter(ts.ReadFile(args[1]), "\n")
	var b strings.Builder
	for _, which := range args[2:] {
		if line, ok := strings.CutPrefix(which, "="); ok {
			b.WriteString(line + "\n")
			continue
		}
		if strings.HasPrefix(which, "/") {
			match := regexp.MustCompile(strings.Trim(which, "/")).FindStringSubmatch(strings.Join(lines, ""))
			b.WriteString(match[1])
			continue
		}
		if from, to, ok := strings.Cut(which, "-"); ok {
			b.WriteString(strings.Join(lines[number(ts, from)-1:number(ts, to)], ""))
			continue
		}
		for _, line := range lines {
			if strings.Contains(line, which) {
				b.WriteString(line)
			}
		}
	}
	write(ts, args[0], b.String())
}

func scriptRows(ts *testscript.TestScript, args []string) {
	var b strings.Builder
	for rest := args[2:]; len(rest) > 0; rest = rest[2:] {
		for i := range number(ts, rest[0]) {
			b.WriteString(cycle.ReplaceAllStringFunc(rest[1], func(field string) string {
				words := strings.Split(field[1:len(field)-1], "|")
				if len(words) == 1 {
					return strconv.Itoa(i % number(ts, words[0]))
				}
				return words[i%len(words)]
			}) + "\n")
		}
	}
	write(ts, args[0], withHeader(args[1:2], "", b.String()))
}

var cycle = regexp.MustCompile(`\{[^}]*\}`)

func scriptReplace(ts *testscript.TestScript, args []string) {
	text, pairs, n := ts.ReadFile(args[0]), args[1:], -1
	if len(pairs)%2 == 1 {
		n = number(ts, pairs[len(pairs)-1])
	}
	for ; len(pairs) > 1; pairs = pairs[2:] {
		before := unescaped(ts, pairs[0])
		if !strings.Contains(text, before) {
			ts.Fatalf("%q is not there", before)
		}
		text = strings.Replace(text, before, unescaped(ts, pairs[1]), n)
	}
	write(ts, args[0], text)
}

func scriptTruncate(ts *testscript.TestScript, args []string) {
	ts.Check(os.Truncate(ts.MkAbs(args[1]), int64(number(ts, args[0]))))
}

func scriptLink(ts *testscript.TestScript, args []string) {
	ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// scriptHoldout separates the rows to which SplitMix64 gives less than the share. For each row it takes
// as many steps from 0 as there are rows up to this one.
func scriptHoldout(ts *testscript.TestScript, args []string) {
	share, err := strconv.ParseFloat(args[0], 64)
	ts.Check(err)
	lines := strings.SplitAfter(ts.ReadFile(args[1]), "\n")
	kept, aside := lines[0], lines[0]
	for i, line := range lines[1:] {
		z := uint64(i+1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		if float64((z^z>>31)>>11)/(1<<53) < share {
			aside += line
		} else {
			kept += line
		}
	}
	write(ts, args[2], kept)
	write(ts, args[3], aside)
}
