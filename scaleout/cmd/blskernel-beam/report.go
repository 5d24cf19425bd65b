package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"blskernel/scaleout"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

type report struct {
	Model   string  `json:"model"`
	Method  string  `json:"method"`
	Runner  string  `json:"runner"`
	Job     string  `json:"job,omitempty"` // id at the job service, or the job name with --async
	Seconds float64 `json:"seconds"`       // of the whole run

	Measured bool  `json:"measured"` // whether the runner reported the fields below
	Rows     int64 `json:"rows"`
	Bad      int64 `json:"bad"`     // rows set aside
	Dropped  int64 `json:"dropped"` // rows with missing cells that were left out
	Filled   int64 `json:"filled"`  // missing cells that were filled in
	// Unknown counts the words that the model does not know, by column.
	Unknown map[string]int64 `json:"unknown,omitempty"`

	running bool // whether the job outlives this program: with --async
}

// count adds the counters of a job, if the runner has them.
func (r *report) count(found metrics.Results) {
	sums := map[string]*int64{
		scaleout.MetricRows: &r.Rows, scaleout.MetricBad: &r.Bad,
		scaleout.MetricDropped: &r.Dropped, scaleout.MetricFilled: &r.Filled,
	}
	for _, c := range found.AllMetrics().Counters() {
		if sum := sums[c.Key.Name]; sum != nil && c.Key.Namespace == scaleout.MetricsNamespace {
			*sum += c.Result()
			r.Measured = true
		}
		if column, is := strings.CutPrefix(c.Key.Name, scaleout.MetricUnknown); is && c.Key.Namespace == scaleout.MetricsNamespace {
			if r.Unknown == nil {
				r.Unknown = map[string]int64{}
			}
			r.Unknown[column] += c.Result()
		}
	}
}

func (r *report) print(asJSON bool, w io.Writer) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	if r.running {
		_, err := fmt.Fprintf(w, "%s   will be written by job %s\n", r.Model, r.Job)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s", r.Model)
	if r.Measured {
		fmt.Fprintf(&b, "   rows: %d", r.Rows)
		if r.Bad > 0 {
			fmt.Fprintf(&b, ", bad rows set aside: %d", r.Bad)
		}
		if r.Dropped > 0 {
			fmt.Fprintf(&b, ", rows with missing cells left out: %d", r.Dropped)
		}
		if r.Filled > 0 {
			fmt.Fprintf(&b, ", missing cells filled in: %d", r.Filled)
		}
		for _, column := range slices.Sorted(maps.Keys(r.Unknown)) {
			fmt.Fprintf(&b, ", unknown words in %.80q: %d", column, r.Unknown[column])
		}
	} else {
		b.WriteString("   the runner does not report the number of rows")
	}
	fmt.Fprintf(&b, ", total time: %.1f s", r.Seconds)
	_, err := fmt.Fprintln(w, b.String())
	return err
}
