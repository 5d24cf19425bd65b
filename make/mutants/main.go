// Mutants measures the share of injected faults that the tests find. For each fault, or mutant, it
// changes one operator or removes one statement of a package. It then runs the tests of the changed
// folder, of the package and of testutil/golden until one fails.
//
//	go -C make/mutants run . -n 60 -out after.jsonl          60 per package, drawn by -seed
//	go -C make/mutants run . -table before.jsonl after.jsonl both files side by side, in Markdown
//
// The arguments are packages; -root names another checkout. A package includes the folders below it,
// except other packages of the list. A mutant that does not compile is replaced by another one. Mutants
// with a result in the file of -out are not run again. A mutant in equivalent.txt changes no documented
// behavior, and does not count. The exit status is 1 if the share found is below -least.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var packages = strings.Fields("internal/linalg/block internal/linalg/factor lapack blsupdate bls dataset/stream bls/modelfile cmd/blskernel")

// operators lists the operators in pairs; a mutant replaces an operator with the other of its pair.
var operators = strings.Fields("< <= > >= == != && || + - * / & | << >> ++ -- += -= *= /=")

type mutant struct {
	name         string // stable as long as its function does not change
	file, folder string // file is absolute, folder relative to the module
	text         []byte
}

// A result is the outcome of a mutant: found, timed out, missed, or broken if it does not compile.
type result struct{ Package, Mutant, Outcome string }

var root = flag.String("root", "../..", "the `folder` of the module")

func main() {
	n := flag.Int("n", 3, "the `number` of mutants per package")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "the `seed` for drawing mutants")
	out := flag.String("out", os.DevNull, "append the results to this `file`, and skip mutants that it already has")
	least := flag.Float64("least", 0, "fail if the tests find less than this `share` of the mutants")
	table := flag.Bool("table", false, "print a table of the result files given as arguments")
	flag.Parse()
	if *table {
		tabulate(flag.Args())
		return
	}
	list := flag.Args()
	if len(list) == 0 {
		list = packages
	}
	results := read(*out)
	for _, p := range list {
		all := mutants(p)
		fmt.Printf("%s: %d of %d mutants, seed %d\n", p, *n, len(all), *seed)
		rand.New(rand.NewPCG(*seed, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if said, err := command("test", "./"+p+"/...", "./internal/testutil/golden").CombinedOutput(); err != nil {
			log.Fatalf("the tests of %s fail without a mutant; make them pass first:\n%s", p, said)
		}
		left := *n
		for _, m := range all {
			if at := slices.IndexFunc(results, func(r result) bool { return r.Mutant == m.name }); left > 0 {
				if at < 0 {
					at, results = len(results), append(results, test(p, m))
					write(*out, results[at])
				}
				if results[at].Outcome != "broken" {
					left--
				}
			}
		}
	}
	if share := count("", results)[4]; !(share >= *least) {
		log.Fatalf("the tests find %.2f of the mutants; -least is %.2f", share, *least)
	}
}

// mutants returns the mutants of package p and the folders below it, in files built on this machine.
func mutants(p string) (all []mutant) {
	list, err := command("list", "-f", "{{range .GoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}\n{{end}}", "./"+p+"/...").Output()
	check(err)
	for file := range slices.Chunk(strings.Fields(string(list)), 2) {
		if folder := strings.TrimPrefix(file[0], "blskernel/"); folder == p || !slices.Contains(packages, folder) {
			all = append(all, inFile(file[1], folder)...)
		}
	}
	return all
}

// inFile returns the mutants of a file, or none if the file is generated.
func inFile(file, folder string) (all []mutant) {
	text, err := os.ReadFile(file)
	check(err)
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	check(err)
	if ast.IsGenerated(f) {
		return nil
	}
	part := func(from, to token.Pos) []byte { return text[set.Position(from).Offset:set.Position(to).Offset] }
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		in := filepath.Join(folder, filepath.Base(file)) + " "
		if fn.Recv != nil {
			in += string(part(fn.Recv.List[0].Type.Pos(), fn.Recv.List[0].Type.End())) + "."
		}
		times := map[string]int{} // of each change in the function
		add := func(from, to token.Pos, with string) {
			what := strings.Join(strings.Fields(fmt.Sprintf("%s%s: %s -> %s", in, fn.Name.Name, part(from, to), with)), " ")
			times[what]++
			changed := slices.Concat(part(f.FileStart, from), []byte(with), part(to, f.FileEnd))
			all = append(all, mutant{fmt.Sprintf("%s #%d", what, times[what]), file, folder, changed})
		}
		operator := func(pos token.Pos, op token.Token) {
			if at := slices.Index(operators, op.String()); at >= 0 {
				add(pos, pos+token.Pos(len(op.String())), operators[at^1])
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				operator(n.OpPos, n.Op)
			case *ast.IncDecStmt:
				operator(n.TokPos, n.Tok)
			case *ast.UnaryExpr:
				if n.Op == token.NOT || n.Op == token.SUB {
					add(n.OpPos, n.X.Pos(), "")
				}
			case *ast.AssignStmt:
				operator(n.TokPos, n.Tok)
				if n.Tok == token.ASSIGN {
					add(n.Pos(), n.End(), "")
				}
			case *ast.ExprStmt, *ast.BranchStmt:
				add(n.Pos(), n.End(), "")
			}
			return true
		})
	}
	return all
}

// test runs the tests on a mutant of package p and returns the outcome.
func test(p string, m mutant) result {
	dir, err := os.MkdirTemp("", "mutant")
	check(err)
	defer os.RemoveAll(dir)
	file, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	check(os.WriteFile(file, m.text, 0o600))
	check(os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace":{%q:%q}}`, m.file, file), 0o600))
	if command("build", "-overlay", overlay, "./"+m.folder).Run() != nil {
		return result{p, m.name, "broken"}
	}
	suites := []string{"./" + m.folder, "./" + p + "/...", "./internal/testutil/golden"}
	if p == "internal/linalg/factor" { // tested through lapack
		suites = append(suites, "./lapack")
	}
	outcome := "missed"
	for _, suite := range suites {
		run := command("test", "-vet=off", "-failfast", "-timeout=3m", "-overlay", overlay, suite)
		if said, err := run.CombinedOutput(); err != nil {
			if outcome = "found"; bytes.Contains(said, []byte("panic: test timed out")) {
				outcome = "timed out"
			}
			break
		}
	}
	return result{p, m.name, outcome}
}

// command returns the go command with the given arguments, in the folder of the module and without cgo.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = *root, append(os.Environ(), "CGO_ENABLED=0")
	return cmd
}

// read returns the results in a file, or none if the file does not exist.
func read(name string) (results []result) {
	text, _ := os.ReadFile(name)
	for line := range bytes.Lines(text) {
		var r result
		check(json.Unmarshal(line, &r))
		results = append(results, r)
	}
	return results
}

// write appends a result to a file, and prints it unless the mutant was found or did not compile.
func write(name string, r result) {
	if r.Outcome != "found" && r.Outcome != "broken" {
		fmt.Printf("%s: %s\n", r.Outcome, r.Mutant)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	check(err)
	check(json.NewEncoder(f).Encode(r))
	check(f.Close())
}

// count returns the numbers of mutants of package p that were found, timed out, missed and equivalent,
// and the share of found or timed-out mutants among those not equivalent. p = "" means all packages.
func count(p string, results []result) (t [5]float64) {
	equivalent, err := os.ReadFile("equivalent.txt") // lines of a mutant's name, a tab and the reason
	check(err)
	for _, r := range results {
		at := slices.Index([]string{"found", "timed out", "missed"}, r.Outcome)
		if at == 2 && bytes.Contains(equivalent, []byte("\n"+r.Mutant+"\t")) {
			at = 3
		}
		if at >= 0 && (p == "" || r.Package == p) {
			t[at]++
		}
	}
	t[4] = (t[0] + t[1]) / (t[0] + t[1] + t[2])
	return t
}

// tabulate prints a row for each package and five columns for each file.
func tabulate(files []string) {
	fmt.Println("| package |" + strings.Repeat(" found | timed out | missed | equivalent | share found |", len(files)))
	fmt.Println("|---|" + strings.Repeat("---|", 5*len(files)))
	for _, p := range packages {
		fmt.Printf("| `%s` |", p)
		for _, file := range files {
			t := count(p, read(file))
			fmt.Printf(" %v | %v | %v | %v | %.2f |", t[0], t[1], t[2], t[3], t[4])
		}
		fmt.Println()
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
