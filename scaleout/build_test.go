package scaleout

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// TestBuildErrors builds invalid pipelines.
func TestBuildErrors(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	folder := t.TempDir()
	missing, text := filepath.Join(folder, "missing.bls"), writeFile(t, folder, "text.bls", []byte("text"))
	byRow := sampleFile(t, modelfile.Metadata{Notes: map[string]string{"weight": "w"}})
	for want, change := range map[string]func(o *Options){
		"Options.Model is empty":            func(o *Options) { o.Model = "" },
		missing:                             func(o *Options) { o.Model = missing },
		"not a model file":                  func(o *Options) { o.Model = text },
		"trained with row weights":          func(o *Options) { o.Model = byRow },
		"the model nowhere://x":             func(o *Options) { o.Model = "nowhere://x" },
		"Options.Out is empty":              func(o *Options) { o.Out = "" },
		`scheme "nowhere" not registered`:   func(o *Options) { o.Out = "nowhere://x" },
		`scheme "elsewhere" not registered`: func(o *Options) { o.BadOut = "elsewhere://x" },
		"Options.Method is improved":        func(o *Options) { o.Method = blsupdate.Improved },
		"Options.Lambda is NaN":             func(o *Options) { o.Lambda = math.NaN() },
		"Options.States is -1":              func(o *Options) { o.States = -1 },
		"Options.SkipBad is -1":             func(o *Options) { o.SkipBad = -1 },
		"Options.Batch is -1":               func(o *Options) { o.Batch = -1 },
	} {
		opt := Options{Model: model, Out: "x.bls"}
		change(&opt)
		if got := panics(func(s beam.Scope) { Fit(s, []string{"x"}, nil, opt) }); !strings.Contains(fmt.Sprint(got), want) {
			t.Errorf("the panic is %v, want %s", got, want)
		}
	}
	for name, patterns := range map[string][2][]string{
		"no pattern": {}, "an empty one": {{""}}, "another scheme": {{"nowhere://x"}}, "of the targets": {{"x"}, {"nowhere://x"}},
	} {
		if panics(func(s beam.Scope) { Fit(s, patterns[0], patterns[1], Options{Model: model, Out: "x.bls"}) }) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// panics returns the value with which build panics, or nil.
func panics(build func(s beam.Scope)) any {
	_, s := beam.NewPipelineWithRoot()
	return testutil.PanicValue(func() { build(s) })
}

// TestModelReplaced replaces the model file after a pipeline has been built.
func TestModelReplaced(t *testing.T) {
	model := sampleFile(t, modelfile.Metadata{})
	other := sampleFile(t, modelfile.Metadata{Software: "another"})
	used := useModel(model)
	again := withModel{Path: model, SHA256: used.SHA256}
	if err := again.Setup(background); err != nil || again.base != used.base {
		t.Errorf("a model in use was read again (%v)", err)
	}
	testutil.NoError(t, os.Rename(other, model))
	if err := again.Setup(background); err != nil || again.base != used.base {
		t.Errorf("a model in use was dropped (%v)", err)
	}
	unknown := withModel{Path: model, SHA256: used.SHA256[1:] + "0"}
	if err := unknown.Setup(background); err == nil || !strings.Contains(err.Error(), model+" has changed since the pipeline was built") || !strings.Contains(err.Error(), unknown.SHA256) {
		t.Errorf("a model with another SHA-256 was accepted, or the error is wrong: %v", err)
	}
}
