// Package neon writes the assembly of package kernel for arm64, as package main does for amd64. It does
// so without avo's instructions, which are for amd64 only.
//
// Comments describe the code that a function writes. Operands have the order of Go's assembler: sources
// first, the destination last. An instruction without a name in Go's assembler is an encoded word, with
// its mnemonic in a comment: see words.go.
package neon

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"

	"blskernel/internal/linalg/kernel/_asm/spec"
)

// A general is one of the registers R0 to R26 except R18, which some systems reserve.
type general int

func (r general) String() string { return fmt.Sprintf("R%d", int(r)) }

// shifted returns 2^n times the register, as the first operand of ADD, SUB and CMP.
func (r general) shifted(n int) string { return fmt.Sprintf("%v<<%d", r, n) }

// A vector is one of the registers V0 to V31, each of which holds two float64 numbers.
type vector int

func (v vector) String() string { return fmt.Sprintf("V%d.D2", int(v)) }

// bits returns the register as bytes, for logical instructions.
func (v vector) bits() string { return fmt.Sprintf("V%d.B16", int(v)) }

// scalar returns the register's name in instructions on one float64, and in FMOVQ, FLDPQ and FSTPQ.
func (v vector) scalar() string { return fmt.Sprintf("F%d", int(v)) }

// element returns element i of the register, a float64.
func (v vector) element(i int) string { return fmt.Sprintf("V%d.D[%d]", int(v), i) }

// A memory is an address: base + disp, or base + index bytes.
type memory struct {
	base    general
	disp    int
	index   general
	indexed bool
}

// at returns the address disp bytes after base.
func at(base general, disp int) memory { return memory{base: base, disp: disp} }

// plus returns the address index bytes after base.
func plus(base, index general) memory { return memory{base: base, index: index, indexed: true} }

func (m memory) String() string {
	switch {
	case m.indexed:
		return fmt.Sprintf("(%v)(%v)", m.base, m.index)
	case m.disp == 0:
		return fmt.Sprintf("(%v)", m.base)
	}
	return fmt.Sprintf("%d(%v)", m.disp, m.base)
}

// A label is the name of a place in a function.
type label string

// A generator collects the text of one File.
type generator struct {
	text, declarations, data bytes.Buffer

	signature *gotypes.Signature // of the function
	inUse     [27]bool           // general registers
	labels    int
}

// function starts the function of the given name, which has no locals. Its arguments do not escape.
func (g *generator) function(name string) {
	f := spec.Functions[name]
	signature, err := gotypes.ParseSignature("func" + f.Signature)
	if err != nil {
		panic(err)
	}
	g.signature, g.inUse = signature, [27]bool{18: true}
	fmt.Fprintf(&g.text, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, f.Signature, name, signature.Bytes())
	fmt.Fprintf(&g.declarations, "\n// %s %s\n", name, f.Comment)
	if strings.Contains(f.Signature, "*") {
		fmt.Fprintf(&g.declarations, "//\n//go:noescape\n")
	}
	fmt.Fprintf(&g.declarations, "func %s%s\n", name, f.Signature)
}

// argument returns the address of the named argument or result. An unnamed result has the name "ret".
func (g *generator) argument(name string) string {
	of := g.signature.Results().Lookup(name)
	if name == "ret" {
		of = g.signature.Results().At(0)
	}
	for _, c := range []gotypes.Component{g.signature.Params().Lookup(name), of} {
		if x, err := c.Resolve(); err == nil {
			return x.Addr.Asm()
		}
	}
	panic("no argument or result " + name)
}

func (g *generator) general() general {
	for r, used := range g.inUse {
		if !used {
			g.inUse[r] = true
			return general(r)
		}
	}
	panic("no general register is left")
}

func (g *generator) release(rs ...general) {
	for _, r := range rs {
		g.inUse[r] = false
	}
}

// load returns a register with the 64-bit argument of the given name.
func (g *generator) load(name string) general {
	r := g.general()
	g.op("MOVD", g.argument(name), r)
	return r
}

// bytes returns a register with 8 times the named argument, a stride or a length in elements.
func (g *generator) bytes(name string) general {
	r := g.load(name)
	g.op("LSL", 3, r, r)
	return r
}

// loadOneArgument sets the first element of v to the named argument, and the second to +0.
func (g *generator) loadOneArgument(name string, v vector) {
	g.op("FMOVD", g.argument(name), v.scalar())
}

// broadcast sets both elements of v to the argument of the given name.
func (g *generator) broadcast(name string, v vector) {
	g.loadOneArgument(name, v)
	g.op("VDUP", v.element(0), v)
}

// op writes an instruction. An int is an immediate operand.
func (g *generator) op(mnemonic string, operands ...any) {
	texts := make([]string, len(operands))
	for i, o := range operands {
		if n, ok := o.(int); ok {
			texts[i] = fmt.Sprintf("$%d", n)
		} else {
			texts[i] = fmt.Sprint(o)
		}
	}
	fmt.Fprintf(&g.text, "\t%s\n", strings.TrimSpace(mnemonic+" "+strings.Join(texts, ", ")))
}

func (g *generator) comment(text string) { fmt.Fprintf(&g.text, "\t// %s\n", text) }

// unique returns a label that begins with name and has not been used in this file.
func (g *generator) unique(name string) label {
	g.labels++
	return label(fmt.Sprintf("%s_%d", name, g.labels))
}

func (g *generator) here(l label) { fmt.Fprintf(&g.text, "%s:\n", l) }

func (g *generator) jump(l label) { g.op("JMP", l) }

// A condition is the mnemonic of a branch after a comparison of signed integers.
type condition string

const (
	equal    condition = "BEQ"
	unequal  condition = "BNE"
	less     condition = "BLT"
	atMost   condition = "BLE"
	atLeast  condition = "BGE"
	greater  condition = "BGT"
	negative condition = "BMI" // after an instruction that sets flags
)

// jumpIf writes a comparison of x with y, a register or an int, and a jump to l on the condition.
func (g *generator) jumpIf(x general, is condition, y any, l label) {
	if y == 0 && is == equal {
		g.op("CBZ", x, l)
		return
	}
	if y == 0 && is == unequal {
		g.op("CBNZ", x, l)
		return
	}
	g.op("CMP", y, x)
	g.op(string(is), l)
}

// while writes a loop that repeats body as long as n >= step. Each iteration subtracts step from n.
func (g *generator) while(n general, step int, body func()) {
	begin, end := g.unique("loop"), g.unique("done")
	g.op("SUBS", step, n, n)
	g.op(string(negative), end)
	g.here(begin)
	body()
	g.op("SUBS", step, n, n)
	g.op("BPL", begin)
	g.here(end)
	g.op("ADD", step, n, n)
}

// table returns a register with the address of the read-only words of symbol. It writes them once.
func (g *generator) table(symbol string, words ...uint64) general {
	if !strings.Contains(g.data.String(), "GLOBL "+symbol+"<>") {
		g.data.WriteByte('\n')
		for i, w := range words {
			fmt.Fprintf(&g.data, "DATA %s<>+%d(SB)/8, $%#016x\n", symbol, 8*i, w)
		}
		fmt.Fprintf(&g.data, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", symbol, 8*len(words))
	}
	r := g.general()
	g.op("MOVD", "$"+symbol+"<>(SB)", r)
	return r
}

// result sets the result of the given name to the first element of v.
func (g *generator) result(name string, v vector) { g.op("FMOVD", v.scalar(), g.argument(name)) }

func (g *generator) ret() { g.op("RET") }
