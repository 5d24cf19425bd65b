package scaleout

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

// TestMatch pairs files in several places, and checks the errors for files that do not match.
func TestMatch(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"x-2", "x-10", "x-1", "y-10", "y-2", "y-1", "z"} {
		writeFile(t, folder, name, nil)
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	memfs.Write("memfs://matched/a", nil)
	for _, test := range []struct {
		patterns, targets []string
		want              []Shard
	}{
		{[]string{at("z")}, nil, []Shard{{at("z"), ""}}},
		{[]string{at("x-*")}, []string{at("y-*")}, []Shard{{at("x-1"), at("y-1")}, {at("x-10"), at("y-10")}, {at("x-2"), at("y-2")}}},
		{[]string{at("x-2"), at("x-1")}, []string{at("y-?")}, []Shard{{at("x-2"), at("y-1")}, {at("x-1"), at("y-2")}}},
		{[]string{"memfs://matched/*", at("z")}, nil, []Shard{{"memfs://matched/a", ""}, {at("z"), ""}}},
	} {
		p, s := beam.NewPipelineWithRoot()
		passert.EqualsList(s, match(s, test.patterns, test.targets), test.want)
		ptest.RunAndValidate(t, p)
		var got []Shard
		for range 2 { // as a bundle that is run again
			got = nil
			testutil.NoError(t, (&matchFn{test.patterns, test.targets}).ProcessElement(background, nil, func(s Shard) { got = append(got, s) }))
			if !slices.Equal(got, test.want) {
				t.Errorf("%q and %q give %v, want %v", test.patterns, test.targets, got, test.want)
			}
		}
	}
	for _, test := range []struct {
		patterns, targets []string
		want              string
	}{
		{[]string{at("x-*"), at("q-*")}, nil, "scaleout: no file matches " + at("q-*")},
		{[]string{at("x-*")}, []string{at("y-2")}, "scaleout: the numbers of sample files and target files are 3 and 1"},
		{[]string{at("x-*"), folder + "/./x-2"}, nil, "which would be learned twice"},
		{[]string{at("x-*"), at("x-2")}, nil, fmt.Sprintf("scaleout: the patterns %s and %s both name the file %s", at("x-*"), at("x-2"), at("x-2"))},
		{[]string{at("[")}, nil, "scaleout: listing " + at("[")},
	} {
		fails(t, func(s beam.Scope) { match(s, test.patterns, test.targets) }, test.want)
	}
}
