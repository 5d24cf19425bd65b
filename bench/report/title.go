package report

import (
	"strings"

	"gonum.org/v1/plot/vg"
)

// titleWidth is what a line of the title may take: it is centered over the data, which is right of the middle.
const titleWidth = plotWidth - 2*(margin+labelColumn)

// titleLines breaks the title between words into lines that fit.
func (p *Plot) titleLines() []string {
	style := legendStyle
	style.Font = sans(textSize)
	var lines []string
	for _, word := range strings.Fields(p.Title) {
		if n := len(lines); n > 0 && style.Width(lines[n-1]+" "+word) <= titleWidth {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// titleRoom is the height of the title.
func (p *Plot) titleRoom() vg.Length {
	return titleHeight + titleLine*vg.Length(max(0, len(p.titleLines())-1))
}
