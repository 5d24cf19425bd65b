package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan(s streams) *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long: `Print the manual page, blskernel(1), made of the help texts, for man or for a package. The page is the
same for the same program and date.`,
		Example: "  blskernel man >blskernel.1\n  blskernel man --date 2026-11-21 | man -l -",
		Args:    noArgs,
		Hidden:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := time.Parse(time.DateOnly, date); date != "" && err != nil {
				return usageError{fmt.Errorf("--date is %q; want a day such as 2026-11-21", date)}
			}
			_, err := io.WriteString(s.out, manPage(cmd.Root(), version(), date))
			return err
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "the date at the foot of the page, as 2026-11-21; by default there is none")
	return cmd
}

// manNotes are the sections that no help text has.
const manNotes = `ENVIRONMENT
  BLSKERNEL_BACKEND   the backend, pure or openblas, where no flag names one; what cannot be had is an error
  BLSKERNEL_KERNEL    the kernel of the backend pure: avx512, avx2 or generic; by default the best that the CPU has
  BLSKERNEL_OPENBLAS  the library file of the backend openblas
  BLSKERNEL_CACHE     the folder in which measured speeds are kept; by default the user's cache folder
EXIT STATUS
  0    success
  1    the work failed
  2    the command line is wrong
  130  interrupted; in general 128 and the number of the signal
  141  who read standard output went away
`

// A manWriter writes roff with the macros of man(7). The texts of commands are written for a terminal and not in any
// markup: a line that is indented stands as it is, and other lines are filled.
type manWriter struct{ strings.Builder }

// manPage returns the manual page of the command and all those below it.
func manPage(root *cobra.Command, version, date string) string {
	m := &manWriter{}
	fmt.Fprintf(m, ".TH %s 1 \"%s\" \"%s %s\" \"User Commands\"\n",
		roff(strings.ToUpper(root.Name())), roff(date), roff(root.Name()), roff(version))
	m.WriteString(".ad l\n.nh\n") // words that cannot be broken are long
	m.section("NAME")
	fmt.Fprintf(m, "%s \\- %s\n", roff(root.Name()), roff(lowerFirst(root.Short)))
	m.section("SYNOPSIS")
	fmt.Fprintf(m, "\\fB%s\\fR \\fIcommand\\fR [\\fIflags\\fR] [\\fIarguments\\fR]\n", roff(root.Name()))
	m.section("DESCRIPTION")
	m.text(root.Long)
	m.text("Flags may be written with one dash or with two. Results go to standard output, progress and errors to standard error.")
	m.section("COMMANDS")
	for _, c := range root.Commands() {
		m.command(c)
	}
	for _, line := range strings.Split(strings.TrimSuffix(manNotes, "\n"), "\n") {
		if name, meaning, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && strings.HasPrefix(line, " ") {
			fmt.Fprintf(m, ".TP\n\\fB%s\\fR\n%s\n", roff(name), roff(strings.TrimSpace(meaning)))
		} else {
			m.section(line)
		}
	}
	if root.Example != "" {
		m.section("EXAMPLES")
		m.verbatim(root.Example)
	}
	return m.String()
}

// command describes a command and those below it.
func (m *manWriter) command(c *cobra.Command) {
	if !c.IsAvailableCommand() && c.Name() != "help" {
		return
	}
	fmt.Fprintf(m, ".SS \"%s\"\n", roff(strings.TrimSuffix(c.UseLine(), " [flags]")))
	if c.Long != "" {
		m.text(c.Long)
	} else {
		m.text(c.Short + ".")
	}
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			m.flag(f)
		}
	})
	if c.Example != "" {
		m.WriteString(".PP\nExamples:\n")
		m.verbatim(c.Example)
	}
	for _, below := range c.Commands() {
		m.command(below)
	}
}

// flag describes a flag.
func (m *manWriter) flag(f *pflag.Flag) {
	kind, usage := pflag.UnquoteUsage(f)
	m.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(m, "\\fB\\-%s\\fR, ", roff(f.Shorthand))
	}
	fmt.Fprintf(m, "\\fB\\-\\-%s\\fR", roff(f.Name))
	if kind != "" {
		fmt.Fprintf(m, " \\fI%s\\fR", roff(kind))
	}
	switch f.DefValue {
	case "", "0", "0s", "[]", "false":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(m, "\n%s\n", roff(usage))
}

// section begins a section.
func (m *manWriter) section(name string) { fmt.Fprintf(m, ".SH %s\n", roff(name)) }

// text writes paragraphs, which are separated by empty lines. Indented lines in them stay as they are.
func (m *manWriter) text(s string) {
	for _, paragraph := range strings.Split(strings.Trim(s, "\n"), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		for len(lines) > 0 {
			indented := strings.HasPrefix(lines[0], " ")
			n := 1
			for n < len(lines) && strings.HasPrefix(lines[n], " ") == indented {
				n++
			}
			run := strings.Join(lines[:n], "\n")
			if indented {
				m.verbatim(run)
			} else {
				fmt.Fprintf(m, ".PP\n%s\n", roff(run))
			}
			lines = lines[n:]
		}
	}
}

// verbatim writes lines as they are.
func (m *manWriter) verbatim(s string) {
	fmt.Fprintf(m, ".PP\n.nf\n%s\n.fi\n", roff(strings.Trim(s, "\n")))
}

// roffEscapes are the characters that mean something to roff, or that it takes for typographical ones.
var roffEscapes = map[rune]string{'\\': `\e`, '-': `\-`, '\'': `\(aq`, '`': `\(ga`, '^': `\(ha`, '~': `\(ti`, '"': `\(dq`}

// roff returns text that stands for s in roff. No line of it is taken for a request.
func roff(s string) string {
	var b strings.Builder
	start := true // of a line
	for _, r := range s {
		escape, ok := roffEscapes[r]
		switch {
		case ok:
			b.WriteString(escape)
		case r == '.' && start:
			b.WriteString(`\&.`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
		start = r == '\n'
	}
	return b.String()
}

// lowerFirst returns s with a small first letter, as names of manual pages are explained.
func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
