package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// root is the top of the repository.
const root = "../.."

// A page is a Markdown file, as far as the checks need it.
type page struct {
	path    string          // from root, with slashes
	anchors map[string]bool // what a link can point to, as GitHub names it
	links   []passage       // targets
	spans   []passage       // code in backquotes
	blocks  []block
}

// A passage is a piece of a page.
type passage struct {
	line int
	text string
}

// A block is fenced code.
type block struct {
	passage
	language string // what stands after the fence
}

// at says where a line is, for messages.
func (p *page) at(line int) string { return fmt.Sprintf("%s:%d", p.path, line) }

var (
	heading   = regexp.MustCompile(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	fence     = regexp.MustCompile("^\\s*(```+|~~~+)\\s*([A-Za-z]*)\\s*$")
	codeSpan  = regexp.MustCompile("(`+)([^`]|[^`](?s:.*?)[^`])(`+)")
	inline    = regexp.MustCompile(`\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\s*\)`)
	reference = regexp.MustCompile(`(?m)^ {0,3}\[[^\]]+\]:\s*(\S+)`)
	attribute = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	autolink  = regexp.MustCompile(`<(https?:[^>]*)>`)
	named     = regexp.MustCompile(`<a\s+(?:id|name)="([^"]+)"`)
	linked    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// parsePage reads a page. Code is taken out first, so that what looks like a link in it is none.
func parsePage(path, text string) *page {
	p := &page{path: path, anchors: map[string]bool{}}
	var prose []string // the lines, without blocks
	var open *block
	mark := ""
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open == nil && m != nil:
			open, mark = &block{passage: passage{line: i + 2}, language: strings.ToLower(m[2])}, m[1]
			line = ""
		case open != nil && m != nil && m[2] == "" && strings.HasPrefix(m[1], mark):
			p.blocks = append(p.blocks, *open)
			open, line = nil, ""
		case open != nil:
			open.text += line + "\n"
			line = ""
		default:
			if h := heading.FindStringSubmatch(line); h != nil {
				p.anchor(h[2])
			}
		}
		prose = append(prose, line)
	}
	if open != nil {
		p.blocks = append(p.blocks, *open)
	}
	rest := codeSpan.ReplaceAllStringFunc(strings.Join(prose, "\n"), func(s string) string {
		return "\x00" + strings.Repeat("\n", strings.Count(s, "\n")) // lines stay counted
	})
	for _, m := range codeSpan.FindAllStringSubmatchIndex(strings.Join(prose, "\n"), -1) {
		all := strings.Join(prose, "\n")
		p.spans = append(p.spans, passage{1 + strings.Count(all[:m[0]], "\n"), strings.TrimSpace(strings.Join(strings.Fields(all[m[4]:m[5]]), " "))})
	}
	for _, m := range named.FindAllStringSubmatch(rest, -1) {
		p.anchors[m[1]] = true
	}
	for _, re := range []*regexp.Regexp{inline, reference, attribute, autolink} {
		for _, m := range re.FindAllStringSubmatchIndex(rest, -1) {
			p.links = append(p.links, passage{1 + strings.Count(rest[:m[0]], "\n"), rest[m[2]:m[3]]})
		}
	}
	return p
}

// anchor adds the anchor of a heading: its text without markup in lower case, letters, digits, hyphens and underscores,
// with hyphens for spaces, and a number where there was one like it before.
func (p *page) anchor(title string) {
	title = linked.ReplaceAllString(title, "$1")
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	name := b.String()
	for n := 1; p.anchors[name]; n++ {
		name = fmt.Sprintf("%s-%d", b.String(), n)
	}
	p.anchors[name] = true
}

// unpublished are folders at the top that the build and the tests make.
var unpublished = map[string]bool{"dist": true, "page": true}

// pages returns all Markdown files of the repository.
func pages(t *testing.T) []*page {
	t.Helper()
	var all []*page
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || unpublished[name] {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all = append(all, parsePage(name, string(text)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestParsePage has what the other tests rely on: what is a link and what is code.
func TestParsePage(t *testing.T) {
	p := parsePage("x.md", strings.Join([]string{
		"# A `code` title, *twice*",
		"## Twice",
		"## Twice",
		"See [a page](other.md#there \"title\"), `[no](link)` and ![a plot",
		"of it](plots/a.svg).",
		"```go",
		"x := \"[no](link)\" // `no span`",
		"```",
		"A span `make",
		"test` over two lines, <https://example.org/a> and [a (b)](c_(d).md).",
		"",
		"[ref]: https://example.org/b",
		"",
		"~~~",
		"```",
		"~~~",
	}, "\n"))
	for _, a := range []string{"a-code-title-twice", "twice", "twice-1"} {
		if !p.anchors[a] {
			t.Errorf("no anchor %q in %v", a, p.anchors)
		}
	}
	equal := func(what string, got []passage, want ...passage) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s %v; want %v", what, got, want)
		}
	}
	equal("links", p.links, passage{4, "other.md#there"}, passage{5, "plots/a.svg"}, passage{10, "c_(d).md"}, passage{12, "https://example.org/b"}, passage{10, "https://example.org/a"})
	equal("spans", p.spans, passage{1, "code"}, passage{4, "[no](link)"}, passage{9, "make test"})
	if len(p.blocks) != 2 || p.blocks[0].language != "go" || p.blocks[0].line != 7 || p.blocks[1].text != "```\n" {
		t.Errorf("blocks %+v", p.blocks)
	}
}
