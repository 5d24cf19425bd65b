package golden_test

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// fused matches a line of the compiler's listing with a fused multiply-add on arm64. It captures the
// source file, the line, and the instruction.
var fused = regexp.MustCompile(`\((/[^()]*|[A-Za-z]:[^()]*):(\d+)\)\s+(FN?M(?:ADD|SUB)[DS])\s`)

// asked matches a line of source that requests a fused multiply-add.
var asked = regexp.MustCompile(`\b(FMA|fma)\(`)

// goCommand returns a go command for the given system and architecture, without cgo. It skips the test
// if there is no go command, in an emulator, and under the race detector.
func goCommand(t *testing.T, system, arch, verb string, args ...string) *exec.Cmd {
	t.Helper()
	testutil.NotUnderRace(t, "it checks code without running it")
	testutil.NotEmulated(t, "it compiles the module")
	if _, err := exec.LookPath("go"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("there is no go command in PATH")
	}
	// Without cgo the standard library does not compile with -tags=cgo, which GOFLAGS may have.
	cmd := exec.Command("go", append([]string{verb, "-tags="}, args...)...)
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	return cmd
}

// TestFused compiles all packages for arm64 and fails on each fused multiply-add that the source does
// not request, except in packages that only tests import. On arm64, loong64, ppc64, s390x and riscv64,
// and on amd64 with GOAMD64=v3, the compiler fuses x*y + z, even across statements. Only an explicit
// conversion prevents that.
func TestFused(t *testing.T) {
	cmd := goCommand(t, "linux", "arm64", "build", "-gcflags=blskernel/...=-S", "blskernel/...")
	listing, err := cmd.StderrPipe()
	testutil.NoError(t, err)
	testutil.NoError(t, cmd.Start())
	sources, unasked, all := map[string][]string{}, map[string]bool{}, 0
	lines := bufio.NewScanner(listing)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		match := fused.FindStringSubmatch(lines.Text())
		if match == nil {
			continue
		}
		all++
		file, instruction := match[1], match[3]
		if strings.Contains(filepath.ToSlash(file), "/internal/testutil/") {
			continue
		}
		source, read := sources[file]
		if !read {
			text, err := os.ReadFile(file)
			testutil.NoError(t, err)
			source = strings.Split(string(text), "\n")
			sources[file] = source
		}
		line, err := strconv.Atoi(match[2])
		if err != nil || line < 1 || line > len(source) {
			t.Fatalf("no line %s:%s", file, match[2])
		}
		if text := source[line-1]; !asked.MatchString(text) {
			unasked[fmt.Sprintf("%s:%d: %s\n\t%s", file, line, strings.TrimSpace(text), instruction)] = true
		}
	}
	testutil.NoError(t, errors.Join(lines.Err(), cmd.Wait()))
	if all == 0 {
		t.Error("no fused multiply-add found: the portable kernel has many, so the format of the listing must have changed")
	}
	for _, at := range slices.Sorted(maps.Keys(unasked)) {
		t.Errorf("%s is fused by the compiler\n\trule: code says what it means, math.FMA(x, y, z) or float64(x*y) + z (docs/reproducibility.md)", at)
	}
}
