package report

import "math"

// A Figure is a plot with its numbers.
type Figure struct {
	Title, Caption string
	Plot           *Plot // or nil
	Tables         []Table
}

// A Table has numbers and texts. The first column names the row.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]string // as long as Columns
}

// A Column has numbers, aligned to the right, or text.
type Column struct {
	Head, Unit string
	Text       bool
}

// Long reports whether the table is folded away.
func (t Table) Long() bool { return len(t.Rows) > 12 }

// texts returns columns of text.
func texts(heads ...string) (columns []Column) {
	for _, head := range heads {
		columns = append(columns, Column{Head: head, Text: true})
	}
	return columns
}

// numbers returns columns of numbers, all of one unit.
func numbers(unit string, heads ...string) (columns []Column) {
	for _, head := range heads {
		columns = append(columns, Column{Head: head, Unit: unit})
	}
	return columns
}

// A chart is a plot and the table of its numbers, filled series by series.
type chart struct {
	Plot
	Table
	at []float64 // of each row on the axis x, NaN for none
}

// row begins a row, which the axis x has at a place.
func (c *chart) row(at float64, cells ...string) {
	c.at, c.Rows = append(c.at, at), append(c.Rows, cells)
}

// add adds a column to the table and a series to the plot, with a value for each row.
func (c *chart) add(name, unit string, plain bool, values []float64, write func(float64) string) {
	c.Plot.add(name, plain, c.at, values)
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = write(v)
	}
	c.column(Column{Head: name, Unit: unit}, cells)
}

// column adds a column to the table alone.
func (c *chart) column(head Column, cells []string) {
	c.Columns = append(c.Columns, head)
	for i, cell := range cells {
		c.Rows[i] = append(c.Rows[i], cell)
	}
}

// figure returns the chart, without a plot if there is nothing to draw.
func (c *chart) figure(title, caption string) Figure {
	c.About = caption
	f := Figure{Title: title, Caption: caption, Tables: []Table{c.Table}}
	if len(c.series) > 0 {
		f.Plot = &c.Plot
	}
	return f
}

// values returns what of says for each number from 0 to n-1.
func values(n int, of func(i int) float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = of(i)
	}
	return all
}

var nan = math.NaN()
