package learner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// An interval is the time or the rows between two checkpoints; the zero value means no checkpoints.
type interval struct {
	time time.Duration
	rows int64
}

// parseInterval parses a number of rows, such as 100000, or a time, such as 30s or 5m.
func parseInterval(s string) (interval, error) {
	if rows, err := strconv.ParseInt(s, 10, 64); err == nil && rows > 0 {
		return interval{rows: rows}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return interval{time: d}, nil
	}
	return interval{}, errors.New("want a positive number of rows, such as 100000, or a positive time, such as 30s or 5m")
}

func (v interval) wanted() bool { return v != interval{} }

// due reports whether a checkpoint is due, given the rows and the time since the last one.
func (v interval) due(rows int64, since time.Duration) bool {
	return v.rows > 0 && rows >= v.rows || v.time > 0 && since >= v.time
}

// RegisterCheckpoint adds --checkpoint, and --resume with resume as its help text.
func (l *Learner) RegisterCheckpoint(cmd *cobra.Command, resume string) {
	ui.Parsed(cmd, &l.checkpoint, "checkpoint", "", "write the model at this interval and when interrupted: a number of rows, such as 100000, or a time, such as 5m", parseInterval)
	cmd.Flags().BoolVar(&l.Resume, "resume", false, resume)
}

// writeCheckpoint writes the model and reports it once it is on disk. If only the sync of the folder
// fails, it prints a note, since the next checkpoint or the end of the run syncs the folder again.
func (l *Learner) writeCheckpoint() error {
	if err := l.write(false); session.OnlyFolder(err) {
		l.Warn("%v", err)
		return nil
	} else if err != nil {
		return err
	}
	return cmp.Or(l.Object(map[string]any{"checkpoint": l.Out, "rows": l.rows}), l.Say("%s   checkpoint after %s", l.Out, ui.Count(l.rows, "row")))
}

// stopped returns err with advice. After an interruption of a run with checkpoints it first writes one.
func (l *Learner) stopped(ctx context.Context, err error) error {
	err = l.In.Explain(ui.CauseOf(ctx, err))
	if ctx.Err() != nil && l.checkpoint.wanted() && l.rows > l.kept {
		if kept := l.writeCheckpoint(); kept != nil {
			// Not joined: Run would report only the interruption.
			return fmt.Errorf("%v, but the checkpoint could not be written: %w", err, kept)
		}
	}
	return err
}

// replay rereads the rows that the checkpoint has learned, and checks that they are the same.
func (l *Learner) replay(ctx context.Context) error {
	for l.rows < l.Known {
		f := l.Next(ctx)
		if errors.Is(f.Err, io.EOF) {
			return ui.Usagef("--resume: the data has %s, but the run that wrote %s had read %d: give the same data as before, or leave out --resume",
				ui.Count(l.rows, "row"), l.Out, l.Known)
		}
		if f.Err != nil {
			return f.Err
		}
		l.count(f, "reading again, ")
		l.kept = l.rows
	}
	if l.Known > 0 && l.content() != l.Model.Metadata.Notes[session.NoteContent] {
		return ui.Usagef("--resume: the data does not begin with the %s that were read for %s: give the same data as before, or leave out --resume",
			ui.Count(l.Known, "row"), l.Out)
	}
	return nil
}
