package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestRoff(t *testing.T) {
	for in, want := range map[string]string{
		"a-b":                `a\-b`,
		".x\n.y z.":          "\\&.x\n\\&.y z.",
		`'\n'`:               `\(aq\en\(aq`,
		"2^-30 ~ `x` \"y\"":  `2\(ha\-30 \(ti \(gax\(ga \(dqy\(dq`,
		"AᵀA × 10³":          `A\[u1D40]A \[u00D7] 10\[u00B3]`,
		"tab\tand plain, 1!": "tab\tand plain, 1!",
	} {
		if got := roff(in); got != want {
			t.Errorf("%q becomes %q; want %q", in, got, want)
		}
	}
}

// TestManPage looks for every command and flag in the page, and lets groff read it where there is one.
func TestManPage(t *testing.T) {
	var working bool
	root := newRoot(streams{}, &working)
	page := manPage(root, "v1.2.3", "2026-11-21")
	if again := manPage(root, "v1.2.3", "2026-11-21"); again != page {
		t.Error("the page is another one the second time")
	}
	for _, want := range []string{".TH BLSKERNEL 1 \"2026\\-11\\-21\" \"blskernel v1.2.3\"", ".SH NAME", ".SH SYNOPSIS", ".SH ENVIRONMENT", "BLSKERNEL_KERNEL", ".SH EXIT STATUS", "\n.TP\n\\fB141\\fR\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q", want)
		}
	}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() && !strings.Contains(page, ".SS \""+roff(below.CommandPath())) {
				t.Errorf("there is no command %s", below.CommandPath())
			}
			if below.Hidden && strings.Contains(page, ".SS \""+roff(below.CommandPath())+"\"") {
				t.Errorf("%s is hidden", below.CommandPath())
			}
			look(below)
		}
	}
	look(root)
	if strings.Contains(page, "\n.PP\n.PP") || strings.Contains(page, "\n\n.") && strings.Contains(page, ".nf\n\n.fi") {
		t.Error("the page has empty paragraphs")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-W", "break", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

// TestManText has a paragraph of which some lines are a table.
func TestManText(t *testing.T) {
	var m manWriter
	m.text("One\ntwo:\n  a  b\n  c  d\nthree.\n\n  e\n")
	want := ".PP\nOne\ntwo:\n.PP\n.nf\n  a  b\n  c  d\n.fi\n.PP\nthree.\n.PP\n.nf\n  e\n.fi\n"
	if got := m.String(); got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

func TestManCommand(t *testing.T) {
	page := func(args ...string) (status int, out, errs string) {
		var o, e strings.Builder
		s := streams{out: &o, err: &e}
		root := &cobra.Command{Use: "x", Short: "X", SilenceErrors: true, SilenceUsage: true}
		root.AddCommand(newMan(s))
		root.SetArgs(append([]string{"man"}, args...))
		if err := root.Execute(); err != nil {
			return 1, o.String(), err.Error()
		}
		return 0, o.String(), e.String()
	}
	if status, out, errs := page("--date", "2026-11-21"); status != 0 || errs != "" || !strings.HasPrefix(out, `.TH X 1 "2026\-11\-21"`) {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if _, out, errs := page("--date", "today"); out != "" || errs != `--date is "today"; want a day such as 2026-11-21` {
		t.Errorf("%q, %q", out, errs)
	}
}
