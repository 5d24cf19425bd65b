package main

import (
	"strconv"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"blskernel/internal/linalg/kernel/_asm/spec"
)

// An isa is an instruction set: the size and number of its vector registers. The instructions of
// AVX-512 and AVX2 have the same names and differ in their operands.
type isa struct {
	name  string // of the kernel and its package
	lanes int    // float64 in a vector register
	vecs  int    // vector registers
}

var (
	avx512 = isa{name: "avx512", lanes: 8, vecs: 32}
	avx2   = isa{name: "avx2", lanes: 4, vecs: 16}
)

// A generator is the context of one file of assembly for one instruction set.
type generator struct {
	*build.Context
	isa
	masks  operand.Mem // the table of maskOf
	labels int
	later  []func() // write code that follows the RET of a function
}

func (g *generator) unique() string {
	g.labels++
	return strconv.Itoa(g.labels)
}

// function starts the function of the given name. Its arguments do not escape.
func (g *generator) function(name string) {
	f := spec.Functions[name]
	g.Function(name)
	g.Pragma("noescape")
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr("func" + f.Signature)
	g.Doc(name + " " + f.Comment)
}

// A vector is a virtual register of g.lanes float64; avo allocates the physical one.
type vector = reg.VecVirtual

func (g *generator) vec() vector {
	if g.lanes == 8 {
		return g.ZMM()
	}
	return g.YMM()
}

func (g *generator) register(i int) reg.VecPhysical {
	if g.lanes == 8 {
		return zmm(i)
	}
	return ymm(i)
}

func zmm(i int) reg.VecPhysical { return physical(i, reg.S512) }
func ymm(i int) reg.VecPhysical { return physical(i, reg.S256) }

func physical(i int, s reg.Spec) reg.VecPhysical {
	return reg.LookupPhysical(reg.KindVector, reg.Index(i), s).(reg.VecPhysical)
}

// argument returns a fresh register that holds the 64-bit argument of the given name.
func (g *generator) argument(name string) reg.GPVirtual {
	r := g.GP64()
	g.Load(g.Param(name), r)
	return r
}

// bytes returns a fresh register that holds 8 times the argument of the given name, a stride or a
// length in elements.
func (g *generator) bytes(name string) reg.GPVirtual {
	r := g.argument(name)
	g.SHLQ(operand.Imm(3), r)
	return r
}

// compare writes a comparison of x with y and a conditional jump to label, such as g.JLT for x < y.
func (g *generator) compare(x, y operand.Op, jump func(operand.Op), label string) {
	g.CMPQ(x, y)
	jump(operand.LabelRef(label))
}

// ifZero writes a test of x and a jump to label: g.JE or g.JZ jumps if x is zero, and g.JNE if not.
func (g *generator) ifZero(x operand.Op, jump func(operand.Op), label string) {
	g.TESTQ(x, x)
	jump(operand.LabelRef(label))
}

func (g *generator) parameter(name string) operand.Mem {
	p, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// at returns the address of vector i after base.
func (g *generator) at(base reg.Register, i int) operand.Mem {
	return operand.Mem{Base: base, Disp: i * 8 * g.lanes}
}

func (g *generator) zero(vs ...reg.Register) {
	for _, v := range vs {
		if g.lanes == 8 {
			g.VPXORQ(v, v, v)
		} else {
			g.VXORPD(v, v, v)
		}
	}
}

// ret ends a function. It first clears the upper parts of vector registers, which would slow SSE code.
func (g *generator) ret() {
	g.VZEROUPPER()
	g.RET()
}
