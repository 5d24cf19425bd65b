// Command mca predicts the speed of the inner loops of package kernel with LLVM's scheduler models,
// and counts their instructions. docs/performance.md has the tables that it prints. Run it as
//
//	make mca
//
// which passes a folder with a disassembly for each architecture. The command needs none of the CPUs
// that it names. In the models all operands are in the L1 cache.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	mca := flag.String("mca", "llvm-mca", "the llvm-mca `program` of LLVM 19 to run")
	flag.Parse()
	functions := map[string]loop{}
	for arch := range triples {
		text, err := os.ReadFile(filepath.Join(flag.Arg(0), arch))
		if err != nil {
			log.Fatal(err)
		}
		parse(functions, arch, string(text))
	}
	if err := predictions(*mca, functions); err != nil {
		log.Fatal(err)
	}
	counts(functions)
}

// An instruction is a line of a disassembly. target is the address to which a branch jumps.
type instruction struct{ address, target, text string }

// A loop holds the instructions of one iteration, with the branch back last, or of a whole function.
type loop []instruction

var triples = map[string]string{"arm64": "aarch64-linux-gnu", "amd64": "x86_64-linux-gnu"}

var (
	symbol = regexp.MustCompile(`^[0-9a-f]+ <blskernel/internal/linalg/kernel[./](\w+(?:\.\w+)??)(?:\.abi0)?>:$`)
	line   = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S.*?)(?:\s+(?:#|//) .*)?$`)
	branch = regexp.MustCompile(`^(?:b|b\.\w+|cbn?z|tbn?z|j\w+)\s.*?0x([0-9a-f]+) <`)
	place  = regexp.MustCompile(`0x[0-9a-f]+ <.*>$`)
)

// parse finds the functions of package kernel and of the packages in its folder in the disassembly text
// and adds them to the map. Their keys are ARCH/NAME and ARCH/PACKAGE.NAME.
func parse(functions map[string]loop, arch, text string) {
	name := ""
	for _, s := range strings.Split(text, "\n") {
		if m := symbol.FindStringSubmatch(s); m != nil {
			name = arch + "/" + m[1]
		} else if m := line.FindStringSubmatch(s); m == nil {
			name = ""
		} else if name != "" {
			i := instruction{address: m[1], text: m[2]}
			if b := branch.FindStringSubmatch(m[2]); b != nil {
				i.target = b[1]
			}
			functions[name] = append(functions[name], i)
		}
	}
}

// main returns the innermost loop in which the instructions of w process the most numbers, the first
// such loop in a tie, or nil if there is none. A loop is innermost if it branches back only at its end.
func (function loop) main(w work) (best loop) {
	index := map[string]int{}
	for i, in := range function {
		index[in.address] = i
	}
	last := -1 // the beginning of the loop that ended last
	for end, in := range function {
		begin, inside := index[in.target]
		if !inside || begin > end {
			continue
		}
		if _, n := function[begin : end+1].count(w); begin > last {
			if _, most := best.count(w); n > most {
				best = function[begin : end+1]
			}
		}
		last = max(last, begin)
	}
	return best
}

// A work maps n to the pattern of the instructions that process n numbers each.
type work map[int]*regexp.Regexp

var (
	products = work{
		1: regexp.MustCompile(`^(?:vfn?m(?:add|sub)\w+sd|fn?m(?:add|sub)\s+d)`),
		2: regexp.MustCompile(`^(?:vfn?m(?:add|sub)\w+pd\s.*%xmm\d+$|fml[as]\s+v\d+\.2d)`),
		4: regexp.MustCompile(`^vfn?m(?:add|sub)\w+pd\s.*%ymm\d+$`),
		8: regexp.MustCompile(`^vfn?m(?:add|sub)\w+pd\s.*%zmm\d+$`),
	}
	stores = work{
		1: regexp.MustCompile(`^(?:v?mov[slh]p?d\s+%x[^(]*\(|stu?r\s+d|st1\s+\{ v\d+\.d \})`),
		2: regexp.MustCompile(`^(?:v?mov[au]p[sd]\s+%x[^(]*\(|stu?r\s+q|stp\s+d|st1\s+\{ v\d+\.2d \})`),
		4: regexp.MustCompile(`^(?:vmov[au]pd\s+%y[^(]*\(|stp\s+q|st1\s+\{ v\d+\.2d, v\d+\.2d \})`),
		8: regexp.MustCompile(`^(?:vmov[au]pd\s+%z[^(]*\(|st1\s+\{ v\d+\.2d(?:, v\d+\.2d){3} \})`),
	}
)

// count returns how many instructions of l match w, and how many numbers they process.
func (l loop) count(w work) (instructions, numbers int) {
	for _, i := range l {
		for n, pattern := range w {
			if pattern.MatchString(i.text) {
				instructions, numbers = instructions+1, numbers+n
			}
		}
	}
	return instructions, numbers
}

// simulate returns llvm-mca's figures for one iteration of a loop: cycles, flops per cycle, and the
// units with the greatest pressure. The many iterations hide the time to fill the pipeline.
func simulate(mca string, l loop, arch, cpu string) (cycles, speed float64, busiest string, err error) {
	const turns = 5000
	cmd := exec.Command(mca, "-mtriple="+triples[arch], "-mcpu="+cpu, "-json", "-iterations="+strconv.Itoa(turns))
	text := "loop:\n"
	for _, i := range l {
		text += place.ReplaceAllString(i.text, "loop") + "\n"
	}
	cmd.Stdin = strings.NewReader(text)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, "", fmt.Errorf("%v: %w\n%s", cmd, err, &errs)
	}
	var report struct {
		CodeRegions []struct {
			SummaryView          struct{ TotalCycles, TotaluOps, DispatchWidth float64 }
			ResourcePressureView struct {
				ResourcePressureInfo []struct {
					InstructionIndex, ResourceIndex int
					ResourceUsage                   float64
				}
			}
		}
		TargetInfo struct{ Resources []string }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return 0, 0, "", err
	}
	summary := report.CodeRegions[0].SummaryView
	_, n := l.count(products)
	cycles = summary.TotalCycles / turns
	most, units := summary.TotaluOps/turns/summary.DispatchWidth, []string{"dispatch"}
	for _, r := range report.CodeRegions[0].ResourcePressureView.ResourcePressureInfo {
		unit, _, _ := strings.Cut(report.TargetInfo.Resources[r.ResourceIndex], ".")
		switch {
		case r.InstructionIndex < len(l): // skip: the sums over all instructions follow
		case r.ResourceUsage > 1.01*most:
			most, units = r.ResourceUsage, []string{unit}
		case r.ResourceUsage > 0.99*most && !slices.Contains(units, unit):
			units = append(units, unit)
		}
	}
	return cycles, 2 * float64(n) / cycles, fmt.Sprintf("%s: %.0f%%", strings.Join(units, ", "), 100*most/cycles), nil
}

// dispatch is the number of instructions that a core dispatches per cycle, by section 4.1 of Arm's
// Software Optimization Guides. LLVM 19's models limit only the micro-operations.
var dispatch = map[string]float64{"neoverse-n1": 4, "neoverse-n2": 5, "neoverse-v1": 8, "neoverse-v2": 8}

// predictions prints a table of the predicted speed of each Gemm on each CPU.
func predictions(mca string, functions map[string]loop) error {
	arms := []string{"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2", "apple-m1"}
	fmt.Println("| kernel | CPU | peak, flops per cycle | cycles per multiply-add | fraction of the peak | busiest units | fraction with limited dispatch |\n|---|---|---|---|---|---|---|")
	for _, p := range []struct {
		kernel, arch, gemm, peak string
		cpus                     []string
	}{
		{"neon", "arm64", "neon.Gemm", "neon.Peak", arms},
		{"generic", "arm64", "sumGeneric", "neon.Peak", arms},
		{"avx512", "amd64", "avx512.Gemm", "avx512.Peak", []string{"skylake-avx512", "sapphirerapids", "znver4", "znver5"}},
		{"avx2", "amd64", "avx2.Gemm", "avx2.Peak", []string{"haswell", "alderlake", "znver2", "znver4", "znver5"}},
	} {
		gemm, peak := functions[p.arch+"/"+p.gemm].main(products), functions[p.arch+"/"+p.peak].main(products)
		if gemm == nil || peak == nil {
			return fmt.Errorf("%s: no loop of multiply-adds in %s or %s; check the disassembly", p.arch, p.gemm, p.peak)
		}
		instructions, _ := gemm.count(products)
		for _, cpu := range p.cpus {
			cycles, speed, busiest, err := simulate(mca, gemm, p.arch, cpu)
			_, top, _, err2 := simulate(mca, peak, p.arch, cpu)
			if err := cmp.Or(err, err2); err != nil {
				return err
			}
			fmt.Printf("| %s | %s | %.1f | %.3f | %.3f | %s |", p.kernel, cpu, top, cycles/float64(instructions), speed/top, busiest)
			if width, known := dispatch[cpu]; known {
				fmt.Printf(" %.3f", speed/top*min(1, cycles/(float64(len(gemm))/width)))
			}
			fmt.Println(" |")
		}
	}
	return nil
}

// counts prints a table of the instructions per multiplied or stored element, and per vector.
func counts(functions map[string]loop) {
	fmt.Println("\n| instructions per element, per vector | neon | avx2 | avx512 |\n|---|---|---|---|")
	for i, name := range []string{"Copy", "Transpose", "Tanh", "Dot", "Axpy", "GemvN", "GemvT", "Ger", "Dotxaxpyf"} {
		fmt.Printf("| %s |", name)
		w := products
		if i < 3 {
			w = stores
		}
		for i, symbol := range []string{"arm64/neon.%s", "amd64/avx2.%s", "amd64/avx512.%s"} {
			if l := functions[fmt.Sprintf(symbol, name)].main(w); l != nil {
				_, n := l.count(w)
				each := float64(len(l)) / float64(n)
				fmt.Printf(" %.2f, %.1f", each, each*float64(int(2)<<i))
			}
			fmt.Print(" |")
		}
		fmt.Println()
	}
}
