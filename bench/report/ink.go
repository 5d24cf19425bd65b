package report

import (
	"fmt"
	"image/color"
	"strings"
)

// An ink is a color by its role. As a color.Color it is the one for light paper; on an svgCanvas it is a CSS class, which
// is a different color where the reader prefers dark pages.
type ink int

const (
	inkText ink = iota
	inkMuted
	inkGrid
	inkBlue
	inkVermillion
	inkGreen
	inkPurple
	inkOcher
	inkGray
	inkTeal
	inkRose
)

// inks has the colors of each ink for light and dark pages. Those of series differ in lightness as well as in hue, and
// each has a marker and a dash pattern of its own besides.
var inks = [...]struct{ light, dark color.NRGBA }{
	inkText:       {rgb(0x1b1f24), rgb(0xe6e8ea)},
	inkMuted:      {rgb(0x59626c), rgb(0xa3adb8)},
	inkGrid:       {rgb(0xdfe3e7), rgb(0x343a41)},
	inkBlue:       {rgb(0x0b62a8), rgb(0x6bb5f2)},
	inkVermillion: {rgb(0xc2410c), rgb(0xff9a62)},
	inkGreen:      {rgb(0x0a7a5a), rgb(0x3ecfa0)},
	inkPurple:     {rgb(0x9a3c86), rgb(0xe59ad2)},
	inkOcher:      {rgb(0x8a6700), rgb(0xe3c04a)},
	inkGray:       {rgb(0x4d5761), rgb(0xbcc5cd)},
	inkTeal:       {rgb(0x00707f), rgb(0x5ed3e0)},
	inkRose:       {rgb(0x7a1f3d), rgb(0xf2a0b5)},
}

// Pages are of these colors.
var paperLight, paperDark = rgb(0xffffff), rgb(0x15181c)

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// RGBA returns the color on light paper.
func (i ink) RGBA() (r, g, b, a uint32) { return inks[i].light.RGBA() }

// hexColor returns c as CSS has it.
func hexColor(c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
}

// inkCSS returns the rules for the classes of an svgCanvas: sN is a stroke in ink N, fN a fill. Print is light.
func inkCSS() string {
	var b strings.Builder
	rules := func(dark bool) {
		for i := range inks {
			c := inks[i].light
			if dark {
				c = inks[i].dark
			}
			fmt.Fprintf(&b, ".plot .s%d{stroke:%s;fill:none}.plot .f%d{fill:%s}\n", i, hexColor(c), i, hexColor(c))
		}
	}
	rules(false)
	b.WriteString("@media screen and (prefers-color-scheme:dark){\n")
	rules(true)
	b.WriteString("}\n")
	return b.String()
}
