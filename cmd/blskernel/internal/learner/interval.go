package learner

import (
	"errors"
	"strconv"
	"time"
)

// An interval is the time or the rows between two checkpoints; the zero value is for none.
type interval struct {
	time time.Duration
	rows int64
}

// parseInterval reads a number of rows, as 100000, or a time, as 30s or 5m.
func parseInterval(s string) (interval, error) {
	if rows, err := strconv.ParseInt(s, 10, 64); err == nil && rows > 0 {
		return interval{rows: rows}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return interval{time: d}, nil
	}
	return interval{}, errors.New("want a number of rows, such as 100000, or a time, such as 30s or 5m")
}

// wanted reports whether there are checkpoints.
func (v interval) wanted() bool { return v != interval{} }

// due reports whether a checkpoint is due, this many rows and this long after the last.
func (v interval) due(rows int64, since time.Duration) bool {
	return v.rows > 0 && rows >= v.rows || v.time > 0 && since >= v.time
}
