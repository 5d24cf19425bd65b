package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/memory"
	"blskernel/internal/testutil"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts in testdata/script, and those in methods below it with each METHOD,
// TARGET, and LAMBDA that the method takes. In addition to testscript's own commands they have:
//
//	blskernel [FLAGS] STATUS ARGS...
//	    runs the command in this process and wants that exit status. "small" is a "train" with 30
//	    nodes, "quick" a "demo" with 60, "quickbench" a short "bench"; for pipe:FILE, the bytes of
//	    a file come through a pipe. The flags: -in FILE is standard input; -to FILE takes standard
//	    output, -out PATTERN matches it, -is FILE equals it, -has FILE is in it, and -lines N counts
//	    its lines; -err PATTERN matches standard error, and -silent wants none; -apart runs a
//	    process with the backend of the script; -memory N leaves N bytes of memory
//	fails STATUS TEXT ARGS...: the same, with no output and the message TEXT; "..." is any text
//	stops LINES ARGS...: runs the command and interrupts it after LINES lines of output
//	each A|B... LINE
//	    runs LINE, one of these commands, once for each of A, B and so on, with its words for {}
//	says TEXT...: wants the texts on standard output
//	files N DIR, understood FILE: count files, and check that a file has command lines
//	same [-layer] MODEL MODEL, [!] close MODEL MODEL
//	    compare the states or output layers of models to the bit, and their weights but for rounding
//	samples FILE N SEED COLUMNS [HEADER], words FILE N SEED [HEADER], digits DIR N
//	    write the tables of csvText (as an array if FILE ends in .npy) and wordText, and MNIST's
//	    files
//	rows FILE HEADER N PATTERN...
//	    writes N rows of each pattern, in which {3} counts 0, 1, 2, 0, and {a|b} alternates
//	npz FILE ARRAY...: writes an archive of arrays
//	take FILE FROM WHICH...
//	    writes the lines N-M of a file, the lines with a text, the line after "=", or the first
//	    match of the group of /PATTERN/
//	holdout SHARE FILE KEPT ASIDE: writes the rows that --holdout leaves and holds out
//	replace FILE OLD NEW... [N]: replaces the first N or all occurrences of texts, with Go's escapes
//	truncate N FILE, link OLD NEW: truncate a file to N bytes, and make a hard link
func TestScripts(t *testing.T) {
	cmds := map[string]func(ts *testscript.TestScript, neg bool, args []string){}
	for name, f := range map[string]func(ts *testscript.TestScript, args []string){
		"blskernel": func(ts *testscript.TestScript, args []string) { scriptRun(ts, args) },
		"fails":     scriptFails, "stops": scriptStops, "says": scriptSays, "files": scriptFiles,
		"samples": scriptSamples, "words": scriptWords, "rows": scriptRows, "digits": scriptDigits, "npz": scriptNPZ, "take": scriptTake,
		"replace": scriptReplace, "truncate": scriptTruncate, "link": scriptLink, "same": scriptSame,
		"understood": scriptUnderstood, "holdout": scriptHoldout,
	} {
		cmds[name] = func(ts *testscript.TestScript, _ bool, args []string) { f(ts, args) }
	}
	cmds["close"] = scriptClose
	cmds["each"] = func(ts *testscript.TestScript, _ bool, args []string) {
		for _, words := range strings.Split(args[0], "|") {
			var line []string
			for _, arg := range args[1:] {
				if arg == "{}" {
					line = append(line, strings.Fields(words)...)
				} else {
					line = append(line, arg)
				}
			}
			cmds[line[0]](ts, false, line[1:])
		}
	}
	scripts(t, filepath.Join("testdata", "script"), cmds, nil)
	for i, m := range blsupdate.Methods() {
		for j, target := range []string{"color", "y1"} {
			if !testutil.Long() && m != blsupdate.QR && i%2 != j {
				continue // both for QR, which has most to run, and one for each other method, in turn
			}
			t.Run(fmt.Sprintf("%v/%s", m, target), func(t *testing.T) {
				vars := map[string]string{"METHOD": m.String(), "TARGET": target, "LAMBDA": "1e-3"}
				if m == blsupdate.Improved || m == blsupdate.Original {
					vars["LAMBDA"] = "auto"
				}
				scripts(t, filepath.Join("testdata", "script", "methods"), cmds, vars)
			})
		}
	}
}

// scripts runs the scripts of a folder with the given variables.
func scripts(t *testing.T, dir string, cmds map[string]func(*testscript.TestScript, bool, []string), vars map[string]string) {
	root, err := filepath.Abs("../..")
	testutil.NoError(t, err)
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir:  dir,
		Cmds: cmds,
		Setup: func(e *testscript.Env) error {
			t := e.T().(inTurn)
			t.Chdir(e.WorkDir)
			for _, name := range scriptEnvironment {
				if e.Getenv(name) == "" {
					e.Setenv(name, os.Getenv(name))
				}
				t.Setenv(name, os.Getenv(name)) // so that it is restored
			}
			for name, value := range vars {
				e.Setenv(name, value)
			}
			e.Setenv("ROOT", root)
			return nil
		},
		Condition: func(name string) (bool, error) {
			kind, value, _ := strings.Cut(name, ":")
			switch kind {
			case "pure": // results do not depend on threads and columns
				return strings.HasPrefix(blskernel.Default().Name(), "pure"), nil
			case "tagged":
				build, _ := debug.ReadBuildInfo()
				return slices.Contains(build.Settings, debug.BuildSetting{Key: "-tags", Value: "cgo"}), nil
			case "openblas":
				return slices.Contains(blskernel.Names(), "openblas"), nil
			case "long":
				return testutil.Long(), nil
			case "race":
				return testutil.UnderRace(), nil
			case "eio":
				_, err := os.ReadFile("/proc/self/mem")
				return errors.Is(err, syscall.EIO), nil
			case "root":
				return os.Geteuid() == 0, nil
			case "method":
				return vars["METHOD"] == value, nil
			case "target":
				return vars["TARGET"] == value, nil
			case "ridge-stays": // the ridge stays when rows are forgotten
				return vars["METHOD"] == "gram" || vars["METHOD"] == "qr", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// inTurn runs scripts one after the other, since the folder and the environment belong to the process.
type inTurn struct{ *testing.T }

func (t inTurn) Parallel()     {}
func (t inTurn) Verbose() bool { return testing.Verbose() }
func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

// scriptEnvironment lists the variables that the command takes from a script.
var scriptEnvironment = []string{"TMPDIR", "TMP", "SOURCE_DATE_EPOCH", "BLSKERNEL_CACHE"}

// inScript runs the command with the environment of a script.
func inScript(ts *testscript.TestScript, run func() (status int, stdout, stderr string)) (status int, stdout, stderr string) {
	for _, name := range scriptEnvironment {
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	defer blskernel.SetThreads(0) // after --threads
	status, stdout, stderr = run()
	_, _ = io.WriteString(ts.Stdout(), stdout) // a write to a buffer does not fail
	_, _ = io.WriteString(ts.Stderr(), stderr)
	return status, stdout, stderr
}

// piped returns a pipe from which a text can be read once, and a function that closes it.
func piped(ts *testscript.TestScript, text string) (r *os.File, stop func()) {
	r, w, err := os.Pipe()
	ts.Check(err)
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(w, text) // a reader that does not want all of it closes the pipe
		_ = w.Close()
	}()
	return r, func() {
		_ = r.Close() // it may be closed
		<-written
	}
}

var helpLine = regexp.MustCompile(`\nRun 'blskernel[a-z ]* -h' for help\.\n$`)

// commandLine returns the arguments of the command for the arguments in a script.
func commandLine(args []string) []string {
	switch {
	case len(args) == 0:
	case args[0] == "small":
		return small(args[1:]...)
	case args[0] == "quick":
		return quick(args[1:]...)
	case args[0] == "quickbench":
		return quickBench(args[1:]...)
	}
	return args
}

func scriptRun(ts *testscript.TestScript, args []string) (out, errs string) {
	f := flag.NewFlagSet("blskernel", flag.ContinueOnError)
	in, to := f.String("in", os.DevNull, ""), f.String("to", "", "")
	is, has := f.String("is", "", ""), f.String("has", os.DevNull, "")
	wantOut, wantErr := f.String("out", "", ""), f.String("err", "", "")
	lines, silent, apart := f.Int("lines", -1, ""), f.Bool("silent", false, ""), f.Bool("apart", false, "")
	most := f.Int64("memory", math.MaxInt64, "")
	ts.Check(f.Parse(args))
	args = f.Args()
	if *most < math.MaxInt64 {
		defer memory.Limit(*most)()
	}
	line := commandLine(args[1:])
	for i, arg := range line {
		if file, ok := strings.CutPrefix(arg, "pipe:"); ok {
			r, stop := piped(ts, ts.ReadFile(file))
			defer stop()
			line[i] = fmt.Sprintf("/dev/fd/%d", r.Fd())
		}
	}
	r, stop := piped(ts, ts.ReadFile(*in))
	defer stop()
	defer func(stdin *os.File) { os.Stdin = stdin }(os.Stdin)
	os.Stdin = r
	status, stdout, stderr := inScript(ts, func() (int, string, string) {
		if !*apart {
			return inProcess(line...)
		}
		var env []string
		for _, name := range []string{"BLSKERNEL_BACKEND", "BLSKERNEL_OPENBLAS"} {
			env = append(env, name+"="+ts.Getenv(name))
		}
		return process(env, line...)
	})
	matches := func(pattern, text string) bool { return regexp.MustCompile("(?m)" + pattern).MatchString(text) }
	switch {
	case status != number(ts, args[0]):
		ts.Fatalf("status %d; want %s", status, args[0])
	case status == ui.ExitUsage && (stdout != "" || !helpLine.MatchString(stderr)):
		ts.Fatalf("a wrong command line prints something, or not where help is")
	case *silent && stderr != "":
		ts.Fatalf("it is not silent")
	case !matches(*wantOut, stdout) || !matches(*wantErr, stderr):
		ts.Fatalf("no match for %q, %q", *wantOut, *wantErr)
	case *lines >= 0 && strings.Count(stdout, "\n") != *lines:
		ts.Fatalf("%d lines", strings.Count(stdout, "\n"))
	case !strings.Contains(stdout, ts.ReadFile(*has)):
		ts.Fatalf("standard output lacks %s", *has)
	case *is != "" && ts.ReadFile(*is) != stdout:
		ts.Fatalf("standard output is not %s", *is)
	case *to != "":
		write(ts, *to, stdout)
	}
	return stdout, stderr
}

// scriptFails compares the text with the whole message, in which "..." stands for any text.
func scriptFails(ts *testscript.TestScript, args []string) {
	text, line := args[1], args[2:]
	name := "blskernel " + commandLine(line)[0]
	if rest, ok := strings.CutPrefix(text, "blskernel: "); ok {
		name, text = "blskernel", rest
	}
	end, notes := "\n", ""
	if number(ts, args[0]) == ui.ExitUsage {
		end = "\nRun '" + name + " -h' for help.\n"
	}
	if strings.HasPrefix(text, "...") {
		notes = "(.*\n)?"
	}
	pattern := "(?s)^" + notes + strings.ReplaceAll(regexp.QuoteMeta(name+": "+text+end), regexp.QuoteMeta("..."), ".*") + "$"
	if stdout, stderr := scriptRun(ts, append(args[:1:1], line...)); stdout != "" || !regexp.MustCompile(pattern).MatchString(stderr) {
		ts.Fatalf("another message, or something on standard output")
	}
}

func scriptStops(ts *testscript.TestScript, args []string) {
	status, _, _ := inScript(ts, func() (int, string, string) {
		return interruptedAfter(number(ts, args[0]), os.Interrupt, commandLine(args[1:])...)
	})
	if status != 130 {
		ts.Fatalf("status %d; want 130", status)
	}
}

func scriptSays(ts *testscript.TestScript, args []string) {
	for _, text := range args {
		if !strings.Contains(ts.ReadFile("stdout"), unescaped(ts, text)) {
			ts.Fatalf("%q is not there", text)
		}
	}
}

func scriptFiles(ts *testscript.TestScript, args []string) {
	files, err := os.ReadDir(ts.MkAbs(args[1]))
	if ts.Check(err); len(files) != number(ts, args[0]) {
		ts.Fatalf("%v; want %s files", files, args[0])
	}
}

func scriptUnderstood(ts *testscript.TestScript, args []string) {
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		ts.Check(understood(strings.Fields(line)))
	}
}

func scriptSame(ts *testscript.TestScript, args []string) {
	bits := encoded
	if args[0] == "-layer" {
		bits, args = encodedLayer, args[1:]
	}
	first, err := bits(ts.MkAbs(args[0]))
	ts.Check(err)
	second, err := bits(ts.MkAbs(args[1]))
	if ts.Check(err); !bytes.Equal(first, second) {
		ts.Fatalf("they have other bits")
	}
}

func scriptClose(ts *testscript.TestScript, neg bool, args []string) {
	got, err := outputWeights(ts.MkAbs(args[0]))
	ts.Check(err)
	want, err := outputWeights(ts.MkAbs(args[1]))
	ts.Check(err)
	if e := testutil.Distance(got, want); (e <= 1e-8) == neg {
		ts.Fatalf("the weights differ by %.2g", e)
	}
}
