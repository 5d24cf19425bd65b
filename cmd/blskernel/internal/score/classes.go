package score

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"blskernel/bls/metrics"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// aucNumbers bounds the numbers kept for the AUC, 8 bytes each: c+2 for each row with c classes.
const aucNumbers = 1 << 23

// MaxAUCRows returns the largest number of rows that are kept for the AUC of c classes.
func MaxAUCRows(c int) int { return max(1, aucNumbers/(c+2)) }

// A classScore compares the predictions of a classifier with the known labels.
type classScore struct {
	most      int // the largest number of rows for the AUC
	labels    []string
	confusion *metrics.Confusion
	ranking   *metrics.Ranking
	chances   metrics.Calibration
	sure      bool // whether the probabilities are calibrated
	rows      int64
	unknown   int64              // rows with a label that the model does not know
	missed    float64            // the total weight of the unknown rows
	others    map[string]float64 // the weight of the unknown rows by label, for at most model.MaxClasses labels
}

// newClassScore returns an empty score of predictions by m. rows is the expected number of rows, -1 if
// unknown. The score keeps at most MaxAUCRows/share rows for the AUC. The error is a *memory.Error if
// the pairs of confused classes would not fit in memory.
func newClassScore(m *model.Model, rows int64, share int) (*classScore, error) {
	labels := m.Labels()
	c := len(labels)
	most := max(1, MaxAUCRows(c)/share)
	s := &classScore{most: most, labels: labels, sure: m.Classifier.Calibrated(), confusion: metrics.NewConfusion(c), ranking: metrics.NewRanking(c, most), others: map[string]float64{}}
	return s, s.checkPairs(min(int64(c)*int64(c-1), max(0, rows)))
}

// checkPairs returns a *memory.Error if there is no memory for n confused pairs.
func (s *classScore) checkPairs(n int64) error {
	const do = "evaluate fewer rows at a time, or a model with fewer classes"
	return memory.Check(40*n, "blskernel", do, "counting up to %d pairs of a class and a wrong prediction", n)
}

func (s *classScore) add(m *model.Model, b *stream.Batch, scores *mat.Dense, outside []float64) error {
	predicted, err := model.ArgMax(scores, b)
	if err != nil {
		return err
	}
	if err := s.checkPairs(int64(s.confusion.Pairs())); err != nil { // newClassScore did not know the number of rows of a text file
		return err
	}
	chances := m.Classifier.Probabilities(scores)
	m.Classifier.Temper(chances, outside)
	for i := range b.Labels {
		s.rows++
		weight := floats.Weight(b.Weights, i)
		class, ok, err := m.ClassOf(b, i)
		if err != nil {
			return err
		}
		if !ok {
			s.unknown++
			s.missed += weight
			if _, seen := s.others[b.Labels[i]]; seen || len(s.others) < model.MaxClasses {
				s.others[b.Labels[i]] += weight
			}
			continue
		}
		s.confusion.Add(class, predicted[i], weight)
		s.chances.Add(class, chances.RawRowView(i), weight)
		row := scores.RawRowView(i)
		if len(row) == 2 { // one ranking for both classes: the difference decides
			d := row[1] - row[0]
			row = []float64{-d, d}
		}
		s.ranking.Add(class, row, weight)
	}
	return nil
}

// classQuality is the quality of a class as JSON. A ratio with denominator 0 is null.
type classQuality struct {
	Label     string   `json:"label"`
	Rows      float64  `json:"rows"`
	Predicted float64  `json:"predicted"`
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	F1        *float64 `json:"f1"`
}

// Confused counts the rows of the class Label that were predicted as Prediction, for JSON output.
type Confused struct {
	Label      string  `json:"label"`
	Prediction string  `json:"prediction"`
	Rows       float64 `json:"rows"`
}

// Classification is the JSON output of evaluate for classification. With weights, Correct and the
// numbers of rows in Classes, Confusion and Confused are sums of weights.
type Classification struct {
	Kind           string         `json:"kind"`
	Rows           int64          `json:"rows"`
	Correct        float64        `json:"correct"`
	Accuracy       float64        `json:"accuracy"` // 0 to 1
	Commonest      string         `json:"commonest_class"`
	OfCommonest    float64        `json:"commonest_accuracy"` // of always predicting that class
	MacroPrecision *float64       `json:"macro_precision"`
	MacroRecall    *float64       `json:"macro_recall"`
	MacroF1        *float64       `json:"macro_f1"`
	AUC            *float64       `json:"auc"`
	AUCRows        int            `json:"auc_rows"` // the rows from which the AUC was computed
	LogLoss        *float64       `json:"log_loss"`
	Calibration    *float64       `json:"calibration_error"`
	Calibrated     bool           `json:"calibrated"` // whether the probabilities are calibrated
	most           int            // the largest AUCRows
	Unknown        int64          `json:"unknown_labels"`
	Classes        []classQuality `json:"classes,omitempty"`
	Confusion      [][]float64    `json:"confusion,omitempty"` // a row for each class, a column for each prediction
	Confused       []Confused     `json:"confused,omitempty"`  // for many classes, instead of the matrix
	Grouping

	wrong float64
}

// known returns a pointer to v for JSON, or nil if v is not finite.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (s *classScore) Quality() (Quality, error) {
	m := s.confusion
	q := &Classification{
		Kind: model.Classification, Rows: s.rows, Unknown: s.unknown, Correct: m.Correct(), wrong: m.Total() - m.Correct() + s.missed,
		MacroPrecision: known(m.MacroPrecision()), MacroRecall: known(m.MacroRecall()), MacroF1: known(m.MacroF1()),
		AUC: known(s.ranking.MacroAUC()), AUCRows: s.ranking.Kept(), most: s.most,
		LogLoss: known(s.chances.LogLoss()), Calibration: known(s.chances.Error()), Calibrated: s.sure,
	}
	all := q.Correct + q.wrong
	if q.Accuracy = q.Correct / all; math.IsNaN(q.Accuracy) {
		return nil, errWeightless
	}
	for i, label := range s.labels {
		if share := m.Labeled(i) / all; i == 0 || share > q.OfCommonest {
			q.Commonest, q.OfCommonest = label, share
		}
		q.Classes = append(q.Classes, classQuality{
			label, m.Labeled(i), m.Predicted(i), known(m.Precision(i)), known(m.Recall(i)), known(m.F1(i)),
		})
		if len(s.labels) > MaxSquared {
			continue
		}
		line := make([]float64, len(s.labels))
		for j := range line {
			line[j] = m.At(i, j)
		}
		q.Confusion = append(q.Confusion, line)
	}
	for _, label := range slices.Sorted(maps.Keys(s.others)) {
		if share := s.others[label] / all; share > q.OfCommonest {
			q.Commonest, q.OfCommonest = label, share
		}
	}
	if len(s.labels) > MaxSquared {
		for at, weight := range m.Misses {
			q.Confused = append(q.Confused, Confused{s.labels[at[0]], s.labels[at[1]], weight})
		}
	}
	return q, nil
}

const (
	maxConfused = 20   // largest number of classes for which the matrix is printed
	MaxSquared  = 1000 // largest number of classes for which the JSON has the matrix
)

func measure(name, format string, args ...any) string {
	return fmt.Sprintf("%-19s%s\n", name, fmt.Sprintf(format, args...))
}

func (q *Classification) lines() string {
	text := measure("rows", "%d", q.Rows) +
		measure("accuracy", "%.2f %% (%.10g right, %.10g wrong)", 100*q.Accuracy, q.Correct, q.wrong) +
		measure("commonest class", "%.2f %% (always %s)", 100*q.OfCommonest, ui.Printable(q.Commonest)) +
		measure("macro precision", "%s", numeric("%.4f", q.MacroPrecision)) +
		measure("macro recall", "%s", numeric("%.4f", q.MacroRecall)) +
		measure("macro F1", "%s", numeric("%.4f", q.MacroF1))
	note := ""
	if q.sampled() {
		note = fmt.Sprintf(" (of %d rows, drawn with a fixed seed)", q.AUCRows)
	}
	text += measure("AUC", "%s%s", numeric("%.4f", q.AUC), note) + measure("log loss", "%s", numeric("%.4f", q.LogLoss))
	note = ""
	if !q.Calibrated {
		note = " (the probabilities are not calibrated: see 'blskernel help calibrate')"
	}
	return text + measure("calibration error", "%s%s", numeric("%.4f", q.Calibration), note)
}

// sampled reports whether the AUC is of a sample. Rows of weight 0 also make AUCRows smaller than Rows.
func (q *Classification) sampled() bool {
	return q.AUCRows == q.most && int64(q.AUCRows) < q.Rows-q.Unknown
}

func (q *Classification) Brief() string {
	note := ""
	if q.sampled() {
		note = fmt.Sprintf(" (of %s)", ui.Count(q.AUCRows, "row"))
	}
	return fmt.Sprintf("%s, accuracy %.2f %%, macro F1 %s, AUC %s%s, log loss %s, calibration error %s", ui.Count(q.Rows, "row"), 100*q.Accuracy,
		numeric("%.4f", q.MacroF1), numeric("%.4f", q.AUC), note, numeric("%.4f", q.LogLoss), numeric("%.4f", q.Calibration))
}

// String returns the measures, a table of the classes, the matrix if it is small, and the groups.
func (q *Classification) String() string {
	var b strings.Builder
	b.WriteString(q.lines())
	if q.Unknown > 0 {
		fmt.Fprintf(&b, "%s with a label that the model does not know: counted as wrong in the accuracy, and also in the commonest class, but left out of the other measures\n", ui.Count(q.Unknown, "row"))
	}
	cells := [][]string{{"class", "rows", "predicted", "precision", "recall", "F1"}}
	for _, class := range q.Classes {
		cells = append(cells, []string{
			ui.Printable(class.Label), fmt.Sprintf("%.10g", class.Rows), fmt.Sprintf("%.10g", class.Predicted),
			numeric("%.4f", class.Precision), numeric("%.4f", class.Recall), numeric("%.4f", class.F1),
		})
	}
	b.WriteString("\n" + ui.Aligned(cells))
	if len(q.Classes) > maxConfused {
		fmt.Fprintf(&b, "\nwith %d classes, only --json prints which classes are confused\n", len(q.Classes))
		return b.String() + q.Grouping.lines()
	}
	cells = [][]string{{"actual \\ predicted"}}
	for i, class := range q.Classes {
		label := ui.Printable(class.Label)
		cells[0] = append(cells[0], label)
		cells = append(cells, []string{label})
		for _, n := range q.Confusion[i] {
			cells[i+1] = append(cells[i+1], fmt.Sprintf("%.10g", n))
		}
	}
	b.WriteString("\n" + ui.Aligned(cells))
	return b.String() + q.Grouping.lines()
}
