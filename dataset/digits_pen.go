package dataset

import (
	"math"
	"strings"
)

// Widths and grey levels of a digit.
const (
	penUsual  = 320 // half the pen's width, in 1/256 pixel
	maxPen    = 120 // largest random change of penUsual
	minInk    = 110 // ink is uniform on [minInk, 255]
	maxGround = 50  // background is uniform on [0, maxGround)
	maxNoise  = 20  // the amplitude of noise is uniform on [0, maxNoise)
)

// splineSteps is the number of line segments that approximate one Bézier curve of a stroke.
const splineSteps = 4

// A pen draws one digit at a time. For every pixel it finds the squared distance from the pixel's
// center to the nearest stroke, and turns the distances into grey levels at the end. Strokes that meet
// or cross therefore show no seam.
type pen struct {
	points [maxPoints]point
	near   [digitPixels]int64 // squared distance in (1/256 pixel)²; may be MaxInt64 beyond reach
	reach  int64              // distance at which the ink ends
}

// draw draws a digit of the given class, with random numbers from r, into the digitPixels bytes of dst.
func (p *pen) draw(dst []byte, class byte, r *generator) {
	shapes := skeletons[class]
	sk := &shapes[r.below(len(shapes))]
	distort(&p.points, sk, r)
	radius := penUsual + r.bell(maxPen)
	p.reach = radius + sub/2
	for i := range p.near {
		p.near[i] = math.MaxInt64
	}
	for stroke := range strings.FieldsSeq(sk.strokes) {
		p.stroke(stroke)
	}
	p.ink(dst, radius, r)
}

// stroke draws a uniform quadratic B-spline. Each hexadecimal digit of stroke is the index of a control
// point. At a point Q between P and R the spline is the Bézier curve of (P+Q)/2, Q and (Q+R)/2. An open
// stroke begins at its first point and ends at its last.
func (p *pen) stroke(stroke string) {
	last := len(stroke) - 1
	at := func(i int) point { return p.points[strings.IndexByte("0123456789abcdef", stroke[i])] }
	if stroke[0] == stroke[last] {
		for i := range last {
			prev := at((i + last - 1) % last)
			p.curve(middle(prev, at(i)), at(i), middle(at(i), at(i+1)))
		}
		return
	}
	if last == 1 {
		p.line(at(0), at(1))
		return
	}
	from := at(0)
	for i := 1; i < last; i++ {
		to := at(last)
		if i+1 < last {
			to = middle(at(i), at(i+1))
		}
		p.curve(from, at(i), to)
		from = to
	}
}

func middle(a, b point) point { return point{(a.x + b.x) >> 1, (a.y + b.y) >> 1} }

// curve draws the Bézier curve (1-t)² a + 2t(1-t) b + t² c as splineSteps line segments.
func (p *pen) curve(a, b, c point) {
	from := a
	for t := int64(1); t <= splineSteps; t++ {
		wa, wb, wc := (splineSteps-t)*(splineSteps-t), 2*t*(splineSteps-t), t*t
		to := point{
			(wa*a.x + wb*b.x + wc*c.x) / (splineSteps * splineSteps),
			(wa*a.y + wb*b.y + wc*c.y) / (splineSteps * splineSteps),
		}
		p.line(from, to)
		from = to
	}
}

// line lowers near to the squared distance from the segment ab, for the pixels within reach of ab.
func (p *pen) line(a, b point) {
	dx, dy := b.x-a.x, b.y-a.y
	length2 := dx*dx + dy*dy
	x0, x1 := p.span(a.x, b.x)
	y0, y1 := p.span(a.y, b.y)
	for y := y0; y < y1; y++ {
		row := p.near[y*digitSide : (y+1)*digitSide]
		uy := y*sub + sub/2 - a.y
		for x := x0; x < x1; x++ {
			ux := x*sub + sub/2 - a.x
			var d2 int64
			switch along := ux*dx + uy*dy; {
			case along <= 0: // a is nearest, or a = b
				d2 = ux*ux + uy*uy
			case along >= length2: // b is nearest
				d2 = (ux-dx)*(ux-dx) + (uy-dy)*(uy-dy)
			default:
				cross := ux*dy - uy*dx
				d2 = cross * cross / length2
			}
			row[x] = min(row[x], d2)
		}
	}
}

// span returns the range [from, to) of pixels in a row or column within reach of coordinates u to v.
func (p *pen) span(u, v int64) (from, to int64) {
	from = max(0, (min(u, v)-p.reach)>>subBits)
	to = min(digitSide, (max(u, v)+p.reach)>>subBits+1)
	return from, to
}

// ink turns the distances in near into grey levels in dst. radius is the pen's radius ρ in image
// coordinates. At distance d from a stroke, with d and ρ in pixels, the ink covers the share
//
//	((ρ+1/2)² - d²) / ((ρ+1/2)² - (ρ-1/2)²), clamped to [0, 1],
//
// of a pixel: 1 up to d = ρ-1/2, nearly linear up to ρ+1/2, then 0. The share needs no square root.
func (p *pen) ink(dst []byte, radius int64, r *generator) {
	ground := int64(r.below(maxGround))
	contrast := minInk + int64(r.below(256-minInk)) - ground
	noise := int64(r.below(maxNoise))
	outer, ring := p.reach*p.reach, 2*radius*sub
	var random uint64
	for i, d2 := range p.near {
		grey := ground
		if d2 < outer {
			grey += contrast * min(outer-d2, ring) / ring
		}
		// The sum of two random bytes, less 255, has a triangular distribution on [-255, 255].
		if i%4 == 0 {
			random = r.pcg.Uint64()
		}
		grey += (int64(random&255) + int64(random>>8&255) - 255) * noise >> 8
		random >>= 16
		dst[i] = byte(max(0, min(255, grey)))
	}
}
