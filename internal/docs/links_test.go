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

const root = "../.."

// treePath matches code that names a file or folder below a top-level folder, perhaps followed by an
// exported name, as in bls/model.Match.
var treePath = regexp.MustCompile(`^((?:\.ci|bench|bls|blsupdate|cmd|dataset|docs|examples|internal|lapack|make|mat|scaleout)/[A-Za-z0-9_./-]*?)(?:\.[A-Z]\w*)?$`)

// TestLinks follows every link on every page, and checks that every file and folder that a page names
// in backquotes exists.
func TestLinks(t *testing.T) {
	all := pages(t)
	for _, p := range all {
		for _, l := range p.links {
			if err := follow(p.path, l.text, all); err != nil {
				t.Errorf("%s: link %q: %v", p.at(l), l.text, err)
			}
		}
		for _, s := range p.spans {
			if m := treePath.FindStringSubmatch(s.text); m != nil {
				if err := exists(".", m[1]); err != nil {
					t.Errorf("%s: %v", p.at(s), err)
				}
			}
		}
	}
}

// follow returns an error if the link target on the page from does not exist.
func follow(from, target string, all map[string]*page) error {
	if strings.Contains(target, "{{") { // a link in a template
		return nil
	}
	u, err := url.Parse(target)
	switch {
	case err != nil:
		return err
	case u.Scheme == "https" && u.Host != "":
		return nil
	case u.Scheme != "" || u.Host != "":
		return errors.New("an external link begins with https:// and a host")
	case target == "":
		return errors.New("it is empty")
	}
	name := from
	if u.Path != "" {
		name = path.Join(path.Dir(from), u.Path)
	}
	if name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(u.Path, "/") {
		return errors.New("it leads out of the repository")
	}
	if to := all[name]; u.Fragment != "" && (to == nil || !to.anchors[u.Fragment]) {
		return fmt.Errorf("%s has no heading for #%s", name, u.Fragment)
	}
	return exists(".", name)
}

// exists returns an error unless the repository has the file or folder name in dir.
func exists(dir, name string) error {
	if _, err := os.Stat(filepath.Join(root, dir, filepath.FromSlash(name))); err != nil {
		return fmt.Errorf("there is no %s", path.Join(dir, name))
	}
	return nil
}

func TestFollow(t *testing.T) {
	all := map[string]*page{"docs/architecture.md": parsePage("docs/architecture.md", "# Title, *two* `x_y`\n# A\n# A\n```\n# B\n```\n")}
	for target, right := range map[string]bool{
		"https://example.org/x?y=1#z": true, "#title-two-x_y": true, "#a-1": true, "architecture.md": true, "architecture.md#a": true,
		"../README.md": true, "../docs": true,
		"http://example.org/": false, "https://": false, "ftp://example.org/": false, "https://example.org:port/": false, "": false,
		"#titel": false, "#b": false, "#a-2": false, "architecture.md#A": false, "nowhere.md": false, "../LICENSE#x": false,
		"../../outside.md": false, "/README.md": false,
	} {
		if err := follow("docs/architecture.md", target, all); (err == nil) != right {
			t.Errorf("link %q: %v", target, err)
		}
	}
}

// A page is the part of a Markdown file that the checks need.
type page struct {
	path                 string          // from root, with slashes
	anchors              map[string]bool // link targets, as GitHub names them
	links, spans, blocks []passage       // targets, code in backquotes, and fenced code
}

// A passage is a piece of a page, with its language if it is a block.
type passage struct {
	line           int
	language, text string
}

func (p *page) at(s passage) string { return fmt.Sprintf("%s:%d", p.path, s.line) }

var (
	fence    = regexp.MustCompile("(?ms)^[ \t]*```(\\w*)\n(.*?)^[ \t]*```$")
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
	codeSpan = regexp.MustCompile("(`+)([^`]|[^`](?s:.*?)[^`])`+")
	link     = regexp.MustCompile(`\]()\(\s*([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\s*\)`)
	autolink = regexp.MustCompile(`(?:<|href="|src=")()(https?:[^">]*)[">]`)
)

// parsePage parses a page. It removes code before it looks for links.
func parsePage(path, text string) *page {
	p := &page{path: path, anchors: map[string]bool{}}
	// cut returns the matches of re, and removes them from text, except for line ends.
	cut := func(re *regexp.Regexp) (all []passage) {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			all = append(all, passage{1 + strings.Count(text[:m[4]], "\n"), text[m[2]:m[3]], text[m[4]:m[5]]})
		}
		text = re.ReplaceAllStringFunc(text, func(s string) string { return "\x00" + strings.Repeat("\n", strings.Count(s, "\n")) })
		return all
	}
	p.blocks = cut(fence)
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		p.anchor(m[1])
	}
	p.spans = cut(codeSpan)
	p.links = append(cut(link), cut(autolink)...)
	return p
}

// anchor adds the anchor that GitHub gives to a heading.
func (p *page) anchor(title string) {
	first := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
	name := first
	for n := 1; p.anchors[name]; n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	p.anchors[name] = true
}

// walk calls do for every file that matches pattern and is in git or not ignored, with its
// slash-separated path and its text.
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
		text, err := os.ReadFile(filepath.Join(root, name))
		if !errors.Is(err, fs.ErrNotExist) { // deleted, but not yet committed
			testutil.NoError(t, err)
			do(name, string(text))
		}
	}
}

func pages(t *testing.T) map[string]*page {
	t.Helper()
	all := map[string]*page{}
	walk(t, "*.md", func(name, text string) {
		if !strings.Contains(name, "testdata/") {
			all[name] = parsePage(name, text)
		}
	})
	if len(all) < 10 {
		t.Fatalf("only %d pages", len(all))
	}
	return all
}
