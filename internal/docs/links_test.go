package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"blskernel/internal/testutil"
)

// TestLinks follows every link of every page.
func TestLinks(t *testing.T) {
	all := pages(t)
	byPath := map[string]*page{}
	for _, p := range all {
		byPath[p.path] = p
	}
	for _, p := range all {
		for _, l := range p.links {
			if err := follow(p, l.text, byPath); err != nil {
				t.Errorf("%s: %v", p.at(l.line), err)
			}
		}
	}
}

// follow returns why the link of a page leads nowhere.
func follow(p *page, target string, all map[string]*page) error {
	if strings.Contains(target, "{{") { // of a template
		return nil
	}
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	switch {
	case u.Scheme == "https" && u.Host != "":
		return nil
	case u.Scheme != "" || u.Host != "":
		return fmt.Errorf("link %q: an external link begins with https:// and a host", target)
	case target == "":
		return fmt.Errorf("an empty link")
	}
	name := p.path
	if u.Path != "" {
		name = path.Join(path.Dir(p.path), u.Path)
	}
	if name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(u.Path, "/") {
		return fmt.Errorf("link %q leads out of the repository", target)
	}
	if err := exists(".", name); err != nil {
		return fmt.Errorf("link %q: %v", target, err)
	}
	if u.Fragment == "" {
		return nil
	}
	if to := all[name]; to == nil || !to.anchors[u.Fragment] {
		return fmt.Errorf("link %q: %s has no heading for #%s", target, name, u.Fragment)
	}
	return nil
}

func TestFollow(t *testing.T) {
	p := parsePage("docs/architecture.md", "# Title\n")
	all := map[string]*page{p.path: p}
	for _, target := range []string{"https://example.org/x?y=1#z", "#title", "architecture.md", "architecture.md#title", "../README.md", "../docs"} {
		if err := follow(p, target, all); err != nil {
			t.Errorf("link %q: %v", target, err)
		}
	}
	for _, target := range []string{
		"http://example.org/", "https://", "ftp://example.org/", "https://example.org:port/", "", "#titel", "architecture.md#Title",
		"nowhere.md", "../LICENSE#x", "../../outside.md", "/README.md",
	} {
		if follow(p, target, all) == nil {
			t.Errorf("link %q passes", target)
		}
	}
}

// treePath matches code that names a file or folder in a folder at the top, with a name of a package
// after it or not.
var treePath = regexp.MustCompile(`^((?:\.ci|bench|bls|blsupdate|cmd|dataset|docs|examples|internal|lapack|make|mat|scaleout)/[A-Za-z0-9_./-]*?)(?:\.[A-Z]\w*)?$`)

// TestPaths looks for every file and folder that a page names in backquotes.
func TestPaths(t *testing.T) {
	for _, p := range pages(t) {
		for _, s := range p.spans {
			if m := treePath.FindStringSubmatch(s.text); m != nil {
				if err := exists(".", m[1]); err != nil {
					t.Errorf("%s: %v", p.at(s.line), err)
				}
			}
		}
	}
}

// root is the top of the repository.
const root = "../.."

// A page is what the checks need of a Markdown file.
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

// parsePage parses a page. It removes code before it looks for links.
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
	all := strings.Join(prose, "\n")
	for _, m := range codeSpan.FindAllStringSubmatchIndex(all, -1) {
		p.spans = append(p.spans, passage{1 + strings.Count(all[:m[0]], "\n"), strings.Join(strings.Fields(all[m[4]:m[5]]), " ")})
	}
	rest := codeSpan.ReplaceAllStringFunc(all, func(s string) string {
		return "\x00" + strings.Repeat("\n", strings.Count(s, "\n")) // keeps the line numbers
	})
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

// anchor adds the anchor that GitHub gives a heading.
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

// walk calls do for every file of the repository that git has or would add, with its slash-separated
// path.
func walk(t *testing.T, pattern string, do func(name, text string)) {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", pattern)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("needs a clone of the repository: ", err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if text, err := os.ReadFile(filepath.Join(root, name)); err == nil {
			do(name, string(text))
		} else if !errors.Is(err, fs.ErrNotExist) { // deleted, and not yet committed
			t.Fatal(err)
		}
	}
}

// readPage returns the page at a path.
func readPage(t *testing.T, name string) *page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	testutil.NoError(t, err)
	return parsePage(name, string(text))
}

// pages returns all Markdown files of the repository.
func pages(t *testing.T) []*page {
	t.Helper()
	var all []*page
	walk(t, "*.md", func(name, text string) {
		if !strings.Contains(name, "testdata/") {
			all = append(all, parsePage(name, text))
		}
	})
	if len(all) < 10 {
		t.Fatalf("only %d pages", len(all))
	}
	return all
}
