package learn

import (
	"errors"
	"strconv"
	"time"
)

// An interval is the value of --checkpoint: the time, or the rows, between two checkpoints. The zero
// value is for none.
type interval struct {
	time time.Duration
	rows int64
}

// Type returns the name of the value in the help text.
func (*interval) Type() string { return "time|rows" }

// String returns what Set reads.
func (v *interval) String() string {
	switch {
	case v.rows > 0:
		return strconv.FormatInt(v.rows, 10)
	case v.time > 0:
		return v.time.String()
	default:
		return ""
	}
}

// Set reads a number of rows, as 100000, or a time, as 30s or 5m.
func (v *interval) Set(s string) error {
	if rows, err := strconv.ParseInt(s, 10, 64); err == nil && rows > 0 {
		*v = interval{rows: rows}
		return nil
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		*v = interval{time: d}
		return nil
	}
	return errors.New("want a number of rows, such as 100000, or a time, such as 30s or 5m")
}

// wanted reports whether there are checkpoints.
func (v interval) wanted() bool { return v != interval{} }

// due reports whether a checkpoint is due, this many rows and this long after the last.
func (v interval) due(rows int64, since time.Duration) bool {
	return v.rows > 0 && rows >= v.rows || v.time > 0 && since >= v.time
}
