package blskernel

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestRatesServePredictions checks that only the commands plan and flops use measured rates: no other
// code asks for them, and every other call of blsupdate.Plan names the rates that it uses. So no model
// depends on a measurement.
func TestRatesServePredictions(t *testing.T) {
	allowed := []string{
		"blsupdate/plan.go", // for callers of Plan that name no rates
		"cmd/blskernel/internal/experiment/experiment.go", "cmd/blskernel/internal/flops/flops.go", "cmd/blskernel/internal/plan/plan.go",
	}
	comment := regexp.MustCompile(`//.*`)
	asks, needs := regexp.MustCompile(`.*\b(RatesFor|MeasureRates)\(`), regexp.MustCompile(`\.Needs\{[^}]*}`)
	measuring, plans := 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		code = comment.ReplaceAll(code, nil)
		if path = filepath.ToSlash(path); slices.Contains(allowed, path) {
			measuring += len(asks.FindAll(code, -1))
			return err
		}
		for _, line := range asks.FindAllString(string(code), -1) {
			if !strings.HasPrefix(line, "func ") {
				t.Errorf("%s: %s", path, line)
			}
		}
		for _, literal := range needs.FindAllString(string(code), -1) {
			if plans++; !strings.Contains(literal, "Rates:") {
				t.Errorf("%s has blsupdate.%s without Rates", path, literal)
			}
		}
		return err
	})
	testutil.NoError(t, err)
	if measuring < 3 || plans < 1 {
		t.Errorf("%d calls for rates and %d plans are found; want at least 3 and 1", measuring, plans)
	}
}
