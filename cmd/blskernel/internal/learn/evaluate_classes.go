package learn

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/mat"
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

func (c *confusion) add(m *model, b *stream.Batch, scores *mat.Dense) error {
	predicted, err := classesOf(scores, b)
	if err != nil {
		return err
	}
	for i, label := range b.Labels {
		if class, ok := m.numbers[label]; ok {
			c.counts[class][predicted[i]]++
		} else if !utf8.ValidString(label) {
			return unreadableLabel(label, labelPlace(b, i, m.labelsIn))
		} else {
			c.unknown++
		}
	}
	return nil
}

// classQuality is the quality of a class as JSON. A quotient of no rows is null.
type classQuality struct {
	Label     string   `json:"label"`
	Rows      int64    `json:"rows"`
	Predicted int64    `json:"predicted"`
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	F1        *float64 `json:"f1"`
}

// Classification is the result of evaluate as JSON.
type Classification struct {
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

func (c *confusion) result() fmt.Stringer {
	q := Classification{Kind: classification, Unknown: c.unknown, Rows: c.unknown, Confusion: c.counts}
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

// mostConfused is the number of classes up to which the matrix is printed.
const mostConfused = 20

// String returns the result as a table of the classes and the matrix.
func (q Classification) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rows      %d\naccuracy  %.2f %% (%d right, %d wrong)\n", q.Rows, 100*q.Accuracy, q.Correct, q.Rows-q.Correct)
	if q.MacroF1 != nil {
		fmt.Fprintf(&b, "macro F1  %.4f\n", *q.MacroF1)
	}
	if q.Unknown > 0 {
		fmt.Fprintf(&b, "%s with a label that the model does not know, counted as wrong\n", ui.Count(q.Unknown, "row"))
	}
	share := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.4f", *v)
	}
	cells := [][]string{{"class", "rows", "predicted", "precision", "recall", "F1"}}
	for _, class := range q.Classes {
		cells = append(cells, []string{
			ui.Printable(class.Label), fmt.Sprint(class.Rows), fmt.Sprint(class.Predicted),
			share(class.Precision), share(class.Recall), share(class.F1),
		})
	}
	b.WriteString("\n" + ui.Aligned(cells))
	if len(q.Classes) > mostConfused {
		fmt.Fprintf(&b, "\nthe confusion matrix of %d classes is printed by --json\n", len(q.Classes))
		return b.String()
	}
	cells = [][]string{{"is \\ predicted"}}
	for i, class := range q.Classes {
		label := ui.Printable(class.Label)
		cells[0] = append(cells[0], label)
		cells = append(cells, []string{label})
		for _, n := range q.Confusion[i] {
			cells[i+1] = append(cells[i+1], fmt.Sprint(n))
		}
	}
	b.WriteString("\n" + ui.Aligned(cells))
	return b.String()
}
