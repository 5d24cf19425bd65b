// Command _asm writes the assembly of package kernel. It is a module of its own so that nothing that
// uses the library depends on the generator. Run it as
//
//	go generate ./internal/kernel
//
// from the root of the module.
//
// It writes two files to the folder above for each entry of outputs and instruction set:
// NAME_ISA_amd64.s (NAME_amd64.s for any amd64) and, with the Go declarations, the same with .go.
// Package neon does the same for arm64. All carry the constraint !noasm.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"

	"blskernel/internal/kernel/_asm/neon"
)

// An output describes the pairs of files of one name.
type output struct {
	name  string
	isas  []isa
	write func(*generator)
}

var outputs = []output{
	{"pause", []isa{any64}, pause},
	{"peak", []isa{avx512, avx2}, peak},
	{"tanh", []isa{avx512, avx2}, tanh},
	{"exp", []isa{avx512, avx2}, exp},
	{"gemm", []isa{avx512, avx2}, gemm},
	{"pack", []isa{avx512, avx2}, pack},
	{"triangle", []isa{avx512, avx2}, triangle},
	{"level1", []isa{avx512, avx2}, level1},
	{"level2", []isa{avx512, avx2}, level2},
	{"search", []isa{avx512, avx2}, search},
}

func main() {
	log.SetFlags(0)
	for _, o := range outputs {
		for _, i := range o.isas {
			if err := emit(o, i); err != nil {
				log.Fatalf("%s, %s: %v", o.name, i.name, err)
			}
		}
	}
	if err := neon.Write(".."); err != nil {
		log.Fatal(err)
	}
}

// emit writes one pair of files.
func emit(o output, i isa) error {
	g := &generator{Context: build.NewContext(), isa: i}
	g.ConstraintExpr("!noasm")
	o.write(g)
	base := filepath.Join("..", o.name+i.suffix()+"_amd64")
	cfg := printer.Config{Argv: []string{"go", "generate", "./internal/kernel"}, Pkg: "kernel"}
	file, err := g.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	for _, p := range []struct {
		extension string
		printer.Printer
	}{{".s", printer.NewGoAsm(cfg)}, {".go", printer.NewStubs(cfg)}} {
		text, err := p.Print(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(base+p.extension, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
