package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// A confusion counts the predictions of a classification.
type confusion struct {
	labels  []string
	counts  [][]int64 // counts[i][j] rows of class i were predicted to be of class j
	unknown int64     // rows with a label that the model does not know
}

func newConfusion(labels []string) *confusion {
	c := &confusion{labels: labels, counts: make([][]int64, len(labels))}
	for i := range c.counts {
		c.counts[i] = make([]int64, len(labels))
	}
	return c
}

func (c *confusion) add(ctx context.Context, model *learner, f fetched) error {
	if f.batch.Labels == nil {
		return errNoTargets
	}
	scores, err := model.scores(ctx, f.batch)
	if err != nil {
		return explainLearning(err)
	}
	predicted, err := classesOf(scores, f.batch)
	if err != nil {
		return err
	}
	for i, label := range f.batch.Labels {
		if class, ok := model.numbers[label]; ok {
			c.counts[class][predicted[i]]++
		} else if !utf8.ValidString(label) {
			return &unreadableLabelError{label, labelPlace(f.batch, i, model.labelsIn)}
		} else {
			c.unknown++
		}
	}
	return nil
}

// classQuality is how well a class was found, as JSON. What has no rows to be computed from is null.
type classQuality struct {
	Label     string   `json:"label"`
	Rows      int64    `json:"rows"`
	Predicted int64    `json:"predicted"`
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	F1        *float64 `json:"f1"`
}

// classificationQuality is the result as JSON.
type classificationQuality struct {
	Kind      string         `json:"kind"`
	Rows      int64          `json:"rows"`
	Correct   int64          `json:"correct"`
	Accuracy  float64        `json:"accuracy"` // 0 to 1
	MacroF1   *float64       `json:"macro_f1"` // mean of F1 over the classes that have one
	Unknown   int64          `json:"unknown_labels"`
	Classes   []classQuality `json:"classes"`
	Confusion [][]int64      `json:"confusion"` // a line for each class, a column for each prediction
}

// quotient returns a/b, nil for b = 0.
func quotient(a, b int64) *float64 {
	if b == 0 {
		return nil
	}
	v := float64(a) / float64(b)
	return &v
}

func (c *confusion) quality() classificationQuality {
	q := classificationQuality{Kind: classification, Unknown: c.unknown, Rows: c.unknown, Confusion: c.counts}
	var sum float64
	var have int
	for i, label := range c.labels {
		class := classQuality{Label: label}
		for j := range c.labels {
			class.Rows += c.counts[i][j]
			class.Predicted += c.counts[j][i]
		}
		hits := c.counts[i][i]
		class.Precision, class.Recall = quotient(hits, class.Predicted), quotient(hits, class.Rows)
		// 2/(1/precision + 1/recall), which is 0 where nothing of the class was found
		if class.F1 = quotient(2*hits, class.Rows+class.Predicted); class.F1 != nil {
			sum += *class.F1
			have++
		}
		q.Rows += class.Rows
		q.Correct += hits
		q.Classes = append(q.Classes, class)
	}
	q.Accuracy = float64(q.Correct) / float64(q.Rows)
	if have > 0 {
		mean := sum / float64(have)
		q.MacroF1 = &mean
	}
	return q
}

func (c *confusion) object() any { return c.quality() }

// mostConfused is the number of classes up to which the matrix is printed.
const mostConfused = 20

func (c *confusion) text() string {
	q := c.quality()
	var b strings.Builder
	fmt.Fprintf(&b, "rows      %d\naccuracy  %.2f %% (%d right, %d wrong)\n", q.Rows, 100*q.Accuracy, q.Correct, q.Rows-q.Correct)
	if q.MacroF1 != nil {
		fmt.Fprintf(&b, "macro F1  %.4f\n", *q.MacroF1)
	}
	if c.unknown > 0 {
		fmt.Fprintf(&b, "%s with a label that the model does not know, counted as wrong\n", counted(int(c.unknown), "row"))
	}
	share := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.4f", *v)
	}
	var cells [][]string
	cells = append(cells, []string{"class", "rows", "predicted", "precision", "recall", "F1"})
	for _, class := range q.Classes {
		cells = append(cells, []string{printable(class.Label), strconv.FormatInt(class.Rows, 10), strconv.FormatInt(class.Predicted, 10), share(class.Precision), share(class.Recall), share(class.F1)})
	}
	b.WriteString("\n" + aligned(cells))
	if len(c.labels) > mostConfused {
		fmt.Fprintf(&b, "\nthe confusion matrix of %d classes is printed by --json\n", len(c.labels))
		return b.String()
	}
	cells = [][]string{append([]string{"is \\ predicted"}, printables(c.labels)...)}
	for i, label := range c.labels {
		line := []string{printable(label)}
		for _, n := range c.counts[i] {
			line = append(line, strconv.FormatInt(n, 10))
		}
		cells = append(cells, line)
	}
	b.WriteString("\n" + aligned(cells))
	return b.String()
}

// aligned returns a table whose first column is aligned on the left and the others on the right.
func aligned(cells [][]string) string {
	var b strings.Builder
	width := 0
	for _, line := range cells {
		width = max(width, len([]rune(line[0])))
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range cells {
		fmt.Fprintf(w, "%-*s\t%s\t\n", width, line[0], strings.Join(line[1:], "\t"))
	}
	_ = w.Flush() // to memory
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, "  "), " ")
	}
	return strings.Join(lines, "\n")
}
