package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestRemove unlearns rows of a classification and of a regression, by all methods: the weights are
// those of a training without them and with the same first rows.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	columns := []string{"a", "b", "c", "d", "color", "y1"}
	first := writeText(t, dir, "first.csv", csvText(samples(200, 1), true, columns...))
	gone := writeText(t, dir, "gone.csv", csvText(samples(60, 2), true, columns...))
	model, other := filepath.Join(dir, "m.bls"), filepath.Join(dir, "o.bls")
	for _, method := range strings.Split(ui.MethodNames(), ", ") {
		for _, target := range []string{"color", "y1"} {
			flags := []string{"--method", method, "--inputs", "a,b,c,d", "--target", target, "--shrink", "0.8", "--out", model}
			if method != "improved" && method != "original" {
				flags = append(flags, "--lambda", "1e-3")
			}
			succeed(t, small(append(flags, first)...)...)
			want, _ := weightsOf(t, model)
			succeed(t, "update", model, "--target", target, gone)
			out := succeed(t, "remove", model, "--target", target, "--out", other, gone)
			testutil.Contains(t, out, "200 samples in all\nremoved 60 rows\n")
			got, _ := weightsOf(t, other)
			closeTo(t, method+", "+target, got, want)
			if l := object[learn.Inspection](t, succeed(t, "inspect", "--json", other)).Metadata.Learned; len(l) != 2 || l[0].Name != "first.csv" || l[0].Removed || l[1].Name != "gone.csv" || !l[1].Removed || l[1].Rows != 60 {
				t.Errorf("%s: the files learned are %+v", method, l)
			}
			before := state(t, other)
			fail(t, ui.ExitUsage, `gone.csv" were removed from `+other+" before: remove them once more by --again", "remove", other, "--target", target, gone)
			if method == "improved" || method == "original" {
				fail(t, ui.ExitFailure, "gone.csv:2: the model has not learned this row", "remove", "--again", other, "--target", target, gone)
			}
			few := writeText(t, dir, "many.csv", csvText(samples(300, 1), true, columns...))
			fail(t, ui.ExitFailure, "", "remove", other, "--target", target, few)
			if !bytes.Equal(before, state(t, other)) {
				t.Errorf("%s: a refused removal has changed the model", method)
			}
			// What was removed can be learned again, and is on the list as that.
			succeed(t, "update", other, "--target", target, gone)
			if l := object[learn.Inspection](t, succeed(t, "inspect", "--json", other)).Metadata.Learned; len(l) != 2 || l[1].Removed {
				t.Errorf("%s: the files learned are %+v", method, l)
			}
		}
	}
}

// TestMergeModels trains two models with the maps of a third, on other classes, and merges all: the
// weights are those of one model that learned everything.
func TestMergeModels(t *testing.T) {
	dir := t.TempDir()
	columns := []string{"a", "b", "c", "d", "color", "y1"}
	path := func(name string) string { return filepath.Join(dir, name) }
	first := writeText(t, dir, "first.csv", csvText(samples(150, 1), true, columns...))
	rows := samples(120, 2)
	for i := range rows {
		if i%3 == 0 {
			rows[i].label = "black"
		}
	}
	second := writeText(t, dir, "second.csv", csvText(rows, true, columns...))
	rows = samples(90, 3)
	for i := range rows {
		rows[i].label = []string{"white", "black", "red"}[i%3]
	}
	third := writeText(t, dir, "third.csv", csvText(rows, true, columns...))
	for _, method := range []string{"gram", "qr"} {
		for _, target := range []string{"color", "y1"} {
			what := method + ", " + target
			train := func(flags ...string) []string {
				return append([]string{"train", "--inputs", "a,b,c,d", "--target", target}, flags...)
			}
			succeed(t, small("--method", method, "--lambda", "0.5", "--inputs", "a,b,c,d", "--target", target, "--out", path("1.bls"), first)...)
			succeed(t, train("--like", path("1.bls"), "--out", path("2.bls"), second)...)
			succeed(t, train("--like", path("1.bls"), "--batch", "40", "--out", path("3.bls"), third)...)
			out := succeed(t, "merge", "--out", path("all.bls"), path("1.bls"), path("2.bls"), path("3.bls"))
			testutil.Contains(t, out, "360 samples in all\nmerged 3 models\n")
			succeed(t, "update", path("1.bls"), "--target", target, "--out", path("want.bls"), second, third)
			got, lambda := weightsOf(t, path("all.bls"))
			want, _ := weightsOf(t, path("want.bls"))
			closeTo(t, what, got, want)
			i := object[learn.Inspection](t, succeed(t, "inspect", "--json", path("all.bls")))
			if lambda != 0.5 || len(i.Metadata.Learned) != 3 || i.Holdout != nil {
				t.Errorf("%s: lambda is %v, and the files learned %+v", what, lambda, i.Metadata.Learned)
			}
			if classes := []string{"dark blue", "green", "red", "black", "white"}; target == "color" && !slices.Equal(i.Metadata.Classes, classes) {
				t.Errorf("%s: the classes are %q", what, i.Metadata.Classes)
			}
			// What is merged learns on, and what is in two models is refused.
			fail(t, ui.ExitUsage, `all.bls has learned the 120 rows of "`+second, "update", path("all.bls"), "--target", target, second)
			fail(t, ui.ExitUsage, `2.bls has learned the file "second.csv", and so has a model before it`, "merge", "--out", path("x.bls"), path("all.bls"), path("2.bls"))
			left(t, 0, path("x.bls"))
			succeed(t, "merge", "--again", "--out", path("twice.bls"), path("all.bls"), path("2.bls"))
		}
	}
}
