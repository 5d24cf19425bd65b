package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// simpleCommands splits shell text into its simple commands, each a list of words, as far as pages use the shell: quotes,
// continued lines, comments, pipes, lists, redirections, assignments before a command, which are left out, and
// here-documents. In the braces of a group or a function and in $(...), commands are commands as well.
func simpleCommands(text string) [][]string {
	var all [][]string
	var words []string
	end := func() {
		for len(words) > 0 && isAssignment(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && (words[0] == "export" || words[0] == "!" || words[0] == "nice" || words[0] == "time" || words[0] == "then" || words[0] == "do" || words[0] == "env") {
			words = words[1:]
			for len(words) > 0 && isAssignment(words[0]) {
				words = words[1:]
			}
		}
		if len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	var word strings.Builder
	inWord := false
	cut := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\'' || c == '"':
			inWord = true
			for i++; i < len(text) && text[i] != c; i++ {
				if c == '"' && text[i] == '\\' && i+1 < len(text) {
					i++
				}
				word.WriteByte(text[i])
			}
		case c == '\\' && i+1 < len(text):
			i++
			inWord = true
			word.WriteByte(text[i])
		case c == ' ' || c == '\t':
			cut()
		case c == '#' && !inWord:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '<' && strings.HasPrefix(text[i:], "<<"):
			cut()
			line, rest, _ := strings.Cut(text[i+2:], "\n")
			mark := strings.Trim(strings.Fields(strings.TrimPrefix(line, "-"))[0], `'"`)
			skip := strings.Index("\n"+rest, "\n"+mark+"\n")
			if skip < 0 {
				skip = len(rest)
			}
			text = text[:i] + "\n" + rest[min(len(rest), skip+len(mark)):]
			i--
		case c == '<' || c == '>':
			if n := len(word.String()); n > 0 && strings.Trim(word.String(), "0123456789") == "" {
				word.Reset()
				inWord = false
			}
			cut()
			for i+1 < len(text) && strings.IndexByte("<>& ", text[i+1]) >= 0 {
				i++
			}
			for i+1 < len(text) && strings.IndexByte(" \t\n;|&)", text[i+1]) < 0 {
				i++
			}
		case strings.IndexByte("\n;|&(){}", c) >= 0 && !(c == '{' && inWord) && !(c == '}' && strings.Contains(word.String(), "{")):
			cut()
			end()
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	cut()
	end()
	return all
}

// isAssignment reports whether a word is NAME=value.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

func TestSimpleCommands(t *testing.T) {
	for text, want := range map[string][][]string{
		"make test demo":                 {{"make", "test", "demo"}},
		"CGO_ENABLED=0 make test # all":  {{"make", "test"}},
		"cd x && go run . -n 1 | head":   {{"cd", "x"}, {"go", "run", ".", "-n", "1"}, {"head"}},
		"a \\\n  -b 'c d' \"e \\\" f\"":  {{"a", "-b", "c d", `e " f`}},
		"a >b.txt 2>&1; c <d":            {{"a"}, {"c"}},
		"a > b\nc --x=y &":               {{"a"}, {"c", "--x=y"}},
		"cat >a <<'END'\nmake x\nEND\nb": {{"cat"}, {"b"}},
		"x=1 y\nexport P=q":              {{"y"}},
		"nice make x":                    {{"make", "x"}},
		"(a; b)":                         {{"a"}, {"b"}},
		"a {b}":                          {{"a"}, {"b"}},
	} {
		if got := simpleCommands(text); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %s; want %s", text, fmt.Sprintf("%q", got), fmt.Sprintf("%q", want))
		}
	}
}
