package report

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// An svgCanvas is a vg.Canvas that writes SVG elements with absolute coordinates. Unlike vgsvg's, it writes an ink as
// a CSS class (see inkCSS) and names any sans-serif font; each text is given the width that it has in the
// font of the layout, so that another font does not spoil it. Its unit is the point, which becomes a unit of the view box.
//
// Scale is taken to be the same in x and y, as it is in all that package plot draws but images.
type svgCanvas struct {
	width, height vg.Length
	body          bytes.Buffer
	state         svgState
	stack         []svgState
}

// svgState is what Push keeps.
type svgState struct {
	m          matrix
	color      color.Color
	lineWidth  vg.Length
	dashes     []vg.Length
	dashOffset vg.Length
}

// A matrix maps (x, y) to (ax+cy+e, bx+dy+f).
type matrix struct{ a, b, c, d, e, f float64 }

// times returns the map that is n first and then m.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// newSVGCanvas returns an empty canvas. y points up, as vg has it.
func newSVGCanvas(width, height vg.Length) *svgCanvas {
	c := &svgCanvas{width: width, height: height}
	c.state.m = matrix{1, 0, 0, -1, 0, height.Points()}
	vg.Initialize(c)
	return c
}

func (c *svgCanvas) Size() (x, y vg.Length)   { return c.width, c.height }
func (c *svgCanvas) SetLineWidth(w vg.Length) { c.state.lineWidth = w }
func (c *svgCanvas) SetColor(clr color.Color) { c.state.color = clr }
func (c *svgCanvas) Push()                    { c.stack = append(c.stack, c.state) }
func (c *svgCanvas) transform(n matrix)       { c.state.m = c.state.m.times(n) }
func (c *svgCanvas) Translate(p vg.Point) {
	c.transform(matrix{1, 0, 0, 1, p.X.Points(), p.Y.Points()})
}
func (c *svgCanvas) Scale(x, y float64)          { c.transform(matrix{x, 0, 0, y, 0, 0}) }
func (c *svgCanvas) at(p vg.Point) (x, y string) { return c.numbers(p.X.Points(), p.Y.Points()) }

func (c *svgCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.state.dashes, c.state.dashOffset = dashes, offset
}

func (c *svgCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.transform(matrix{cos, sin, -sin, cos, 0, 0})
}

func (c *svgCanvas) Pop() {
	c.state = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

// scale returns by how much lengths are multiplied.
func (c *svgCanvas) scale() float64 { return math.Hypot(c.state.m.a, c.state.m.b) }

// coordinate writes a number with two decimals at most.
func coordinate(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64) // + 0 for -0
}

func (c *svgCanvas) numbers(x, y float64) (string, string) {
	x, y = c.state.m.apply(x, y)
	return coordinate(x), coordinate(y)
}

// paint returns the attributes for a color in the given role, stroke or fill.
func (c *svgCanvas) paint(role string) string {
	if i, ok := c.state.color.(ink); ok {
		return fmt.Sprintf(`class="%c%d"`, role[0], i)
	}
	clr := c.state.color
	if clr == nil {
		clr = color.Black
	}
	paint := fmt.Sprintf(`%s="%s"`, role, hexColor(clr))
	if role == "stroke" {
		paint += ` fill="none"`
	}
	if _, _, _, a := clr.RGBA(); a < 0xffff {
		paint += fmt.Sprintf(` %s-opacity="%s"`, role, coordinate(float64(a)/0xffff))
	}
	return paint
}

func (c *svgCanvas) Stroke(path vg.Path) {
	if c.state.lineWidth <= 0 {
		return
	}
	s := c.scale()
	fmt.Fprintf(&c.body, `<path %s stroke-width="%s"`, c.paint("stroke"), coordinate(s*c.state.lineWidth.Points()))
	var dashes []string
	for _, d := range c.state.dashes {
		dashes = append(dashes, coordinate(s*d.Points()))
	}
	if len(dashes) > 0 {
		fmt.Fprintf(&c.body, ` stroke-dasharray="%s"`, strings.Join(dashes, " "))
		if c.state.dashOffset != 0 {
			fmt.Fprintf(&c.body, ` stroke-dashoffset="%s"`, coordinate(s*c.state.dashOffset.Points()))
		}
	}
	fmt.Fprintf(&c.body, ` d="%s"/>`+"\n", c.pathData(path))
}

func (c *svgCanvas) Fill(path vg.Path) {
	fmt.Fprintf(&c.body, `<path %s d="%s"/>`+"\n", c.paint("fill"), c.pathData(path))
}

func (c *svgCanvas) pathData(path vg.Path) string {
	var b strings.Builder
	for i, p := range path {
		switch p.Type {
		case vg.MoveComp, vg.LineComp:
			letter := "L"
			if p.Type == vg.MoveComp {
				letter = "M"
			}
			x, y := c.at(p.Pos)
			b.WriteString(letter + x + " " + y)
		case vg.ArcComp:
			c.arc(&b, p, i == 0)
		case vg.CurveComp:
			b.WriteByte("QC"[len(p.Control)-1])
			for _, q := range append(p.Control[:len(p.Control):len(p.Control)], p.Pos) {
				x, y := c.at(q)
				b.WriteString(x + " " + y + " ")
			}
		case vg.CloseComp:
			b.WriteByte('Z')
		}
	}
	return b.String()
}

// arc writes a line to the start of the arc, or a move if it is first, and the arc in pieces of less than half a turn,
// which are all that SVG's endpoints can tell apart.
func (c *svgCanvas) arc(b *strings.Builder, p vg.PathComp, first bool) {
	at := func(angle float64) (string, string) {
		sin, cos := math.Sincos(angle)
		return c.numbers(p.Pos.X.Points()+p.Radius.Points()*cos, p.Pos.Y.Points()+p.Radius.Points()*sin)
	}
	letter := "L"
	if first {
		letter = "M"
	}
	x, y := at(p.Start)
	b.WriteString(letter + x + " " + y)
	sweep := 0 // counterclockwise where y points up
	if (p.Angle < 0) != (c.state.m.a*c.state.m.d-c.state.m.b*c.state.m.c > 0) {
		sweep = 1
	}
	radius := coordinate(c.scale() * p.Radius.Points())
	pieces := max(1, int(math.Ceil(math.Abs(p.Angle)/(0.75*math.Pi))))
	for i := 1; i <= pieces; i++ {
		x, y = at(p.Start + p.Angle*float64(i)/float64(pieces))
		fmt.Fprintf(b, "A%s %s 0 0 %d %s %s", radius, radius, sweep, x, y)
	}
}

func (c *svgCanvas) FillString(f font.Face, p vg.Point, text string) {
	x, y := c.at(p)
	s := c.scale()
	turn := ""
	if m := c.state.m; math.Abs(m.b) > 1e-9 || m.a < 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, coordinate(math.Atan2(m.b, m.a)*180/math.Pi), x, y)
	}
	weight := ""
	if f.Font.Weight > 0 {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.body, `<text %s x="%s" y="%s" font-size="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"%s%s>%s</text>`+"\n",
		c.paint("fill"), x, y, coordinate(s*f.Font.Size.Points()), coordinate(s*f.Width(text).Points()), weight, turn, escape(text))
}

// DrawImage draws img as PNG.
func (c *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("report: an image cannot be encoded: %v", err))
	}
	x, y := c.numbers(r.Min.X.Points(), r.Max.Y.Points())
	size := r.Size()
	fmt.Fprintf(&c.body, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="data:image/png;base64,%s"/>`+"\n",
		x, y, coordinate(c.scale()*size.X.Points()), coordinate(c.scale()*size.Y.Points()), base64.StdEncoding.EncodeToString(b.Bytes()))
}

// fonts are those that look like the font of the layout, or do instead.
const fonts = "Liberation Sans, Arial, Helvetica, sans-serif"

// write writes the drawing as an svg element with a title and a description for those who do not see it. Ids begin
// with id. alone is for a file of its own, which needs the colors and its size.
func (c *svgCanvas) write(w io.Writer, id, title, description string, alone bool) error {
	width, height := coordinate(c.width.Points()), coordinate(c.height.Points())
	size, style := "", ""
	if alone {
		size = fmt.Sprintf(` width="%spx" height="%spx"`, width, height)
		style = "<style>\n" + inkCSS() + "</style>\n"
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 %s %s"%s font-family="%s" role="img" aria-labelledby="%s-title %s-desc">`+"\n"+
		`<title id="%s-title">%s</title>`+"\n"+`<desc id="%s-desc">%s</desc>`+"\n%s%s</svg>\n",
		width, height, size, fonts, id, id, id, escape(title), id, escape(description), style, c.body.Bytes())
	return err
}

// escape returns text as XML has it.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
