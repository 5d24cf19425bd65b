package docs

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		return fmt.Errorf("link %q: there is no %s", target, name)
	}
	if u.Fragment == "" {
		return nil
	}
	if to := all[name]; to == nil || !to.anchors[u.Fragment] {
		return fmt.Errorf("link %q: %s has no heading for #%s", target, name, u.Fragment)
	}
	return nil
}

// TestFollow has links of every kind that is wrong, and one of each that is right.
func TestFollow(t *testing.T) {
	p := parsePage("docs/architecture.md", "# Title\n")
	all := map[string]*page{p.path: p}
	for target, right := range map[string]bool{
		"https://example.org/x?y=1#z": true,
		"http://example.org/":         false,
		"https://":                    false,
		"ftp://example.org/":          false,
		"https://example.org:port/":   false,
		"":                            false,
		"#title":                      true,
		"#titel":                      false,
		"architecture.md":             true,
		"architecture.md#title":       true,
		"architecture.md#Title":       false,
		"../README.md":                true,
		"../docs":                     true,
		"nowhere.md":                  false,
		"../LICENSE#x":                false,
		"../../outside.md":            false,
		"/README.md":                  false,
	} {
		if err := follow(p, target, all); (err == nil) != right {
			t.Errorf("link %q: %v", target, err)
		}
	}
}

// treePath matches code that names a file or folder from the top of the repository.
var treePath = regexp.MustCompile(`^(?:bench|bls|blsupdate|cmd|dataset|docs|examples|internal|lapack|mat)/[A-Za-z0-9_./-]*$`)

// ofPackage matches what is named of a package, after its path.
var ofPackage = regexp.MustCompile(`\.[A-Z]\w*$`)

// TestPaths looks for every file and folder that a page names in backquotes.
func TestPaths(t *testing.T) {
	for _, p := range pages(t) {
		for _, s := range p.spans {
			if !treePath.MatchString(s.text) {
				continue
			}
			name := ofPackage.ReplaceAllString(s.text, "")
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Errorf("%s: there is no %s", p.at(s.line), name)
			}
		}
	}
}
