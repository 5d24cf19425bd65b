package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/cmd/blskernel/internal/ui"
)

// showCommands calls run to execute train, predict, update and evaluate on a made-up table, and prints
// each command with its output. It keeps the files in a temporary folder, which it removes.
func showCommands(ctx context.Context, s ui.Streams, run func(context.Context, []string, ui.Streams) int) (err error) {
	dir, err := os.MkdirTemp("", "blskernel-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	lines := machines(4000)
	title, rows := lines[0], lines[1:]
	asked := []string{strings.TrimSuffix(title, ",state\n") + "\n"}
	for _, row := range rows[3000:3004] {
		asked = append(asked, row[:strings.LastIndex(row, ",")]+"\n")
	}
	for name, lines := range map[string][]string{
		"train.csv": append([]string{title}, rows[:2000]...), "later.csv": append([]string{title}, rows[2000:3000]...),
		"test.csv": append([]string{title}, rows[3000:]...), "new.csv": asked,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "")), 0o666); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.Out, "A made-up table of machines, with words and missing cells. train.csv has 2000 of its 4000 rows:\n\n  %s",
		strings.Join(lines[:4], "  "))
	for _, step := range []struct{ why, line string }{
		{"Train a model that predicts the state:", "train -o machine.bls --target state train.csv"},
		{"Predict the state of machines for which it is unknown:", "predict machine.bls new.csv"},
		{"Let the model learn rows that arrived later; the old ones are not needed:", "update machine.bls later.csv"},
		{"Score the model on rows that it has not learned:", "evaluate machine.bls test.csv"},
	} {
		if err == nil {
			_, err = fmt.Fprintf(s.Out, "\n%s\n\n  $ blskernel %s\n", step.why, step.line)
		}
		if err == nil {
			err = showStep(ctx, run, dir, strings.Fields(step.line), s.Out)
		}
	}
	if err == nil {
		_, err = io.WriteString(s.Out, "\nHow the two methods of the paper learn added rows, on synthetic digits:\n\n")
	}
	return err
}

// showStep calls run to execute args, where an argument with a dot names a file in dir. It writes the
// output, indented and without dir, to the writer to.
func showStep(ctx context.Context, run func(context.Context, []string, ui.Streams) int, dir string, args []string, to io.Writer) error {
	local := slices.Clone(args)
	for i, a := range args {
		if strings.Contains(a, ".") {
			local[i] = filepath.Join(dir, a)
		}
	}
	var out, errs bytes.Buffer
	status := run(ctx, local, ui.Streams{Out: &out, Err: &errs})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case status != 0:
		return errors.New(strings.TrimSpace(errs.String()))
	}
	said := strings.ReplaceAll(strings.TrimSpace(out.String()), dir+string(filepath.Separator), "")
	_, err := io.WriteString(to, strings.ReplaceAll("  "+strings.ReplaceAll(said, "\n", "\n  ")+"\n", "  \n", "\n"))
	return err
}

// machines returns a made-up table of machines as lines: a header and the given number of random
// rows. About one row in twenty lacks the vibration.
func machines(rows int) []string {
	random := rand.New(rand.NewPCG(7, 7))
	lines := []string{"site,speed,current,vibration,temperature,state\n"}
	for range rows {
		number := func(from, to float64) float64 { return from + float64((to-from)*random.Float64()) }
		speed, load := number(1000, 3000), number(0, 1)
		state := "busy"
		switch {
		case load < 0.2:
			state = "idle"
		case speed*load > 1500:
			state = "hot"
		}
		site, vibration := random.IntN(3), fmt.Sprintf("%.2f", number(0, 1)+speed*speed*(0.2+load)/1e6)
		if random.IntN(20) == 0 {
			vibration = ""
		}
		lines = append(lines, fmt.Sprintf("%s,%.1f,%.2f,%s,%.1f,%s\n", []string{"Bern", "Bonn", "Graz"}[site], speed,
			number(2, 3)+float64(10*load), vibration, number(40, 45)+float64(site*10)+speed*load/50, state))
	}
	return lines
}
