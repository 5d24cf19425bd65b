package gemm

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"time"
	"unsafe"

	"blskernel/internal/block"
	"blskernel/internal/kernel"
)

// EnvPacking names the environment variable that says when dense operands are copied before the kernel
// reads them: "auto", the default, by the costs of this CPU; "always"; or "never" where the kernel can
// read them in place. Results do not depend on it.
const EnvPacking = "BLSKERNEL_PACK"

// A packing is a value of EnvPacking.
type packing uint8

const (
	auto packing = iota
	always
	never
)

var packings = []string{auto: "auto", always: "always", never: "never"}

// packingFromEnv is the packing that EnvPacking names. The first call decides for the life of the
// process.
var packingFromEnv = sync.OnceValues(func() (packing, error) { return parsePacking(os.Getenv(EnvPacking)) })

func parsePacking(name string) (packing, error) {
	if i := slices.Index(packings, name); i >= 0 || name == "" {
		return packing(max(i, 0)), nil
	}
	return auto, fmt.Errorf("%s=%s: unknown", EnvPacking, name)
}

// CheckEnv returns an error if EnvPacking has a value that New does not know.
func CheckEnv() error {
	_, err := packingFromEnv()
	return err
}

// directA reports whether the kernel reads A in place, dense or packed: always where its rows run along
// the sum; where they run across it, if that costs less than a copy.
//
// A step of the sum then reads MR elements of another row, and each tile reads them again: in another
// page if rows are long, in two cache lines if they are not aligned, in the same few lines of the cache
// if rows are a multiple of a page apart. A copy is read from MR consecutive elements, and costs a pass
// for each block of columns of C.
func (p *product) directA() bool {
	switch {
	case p.a.layout > byCols || p.engine.packing == always:
		return false
	case p.a.layout == byRows || p.engine.packing == never:
		return true
	}
	c := p.engine.costs.of(p)
	tiles := float64(min(p.n, p.width())) / float64(p.engine.kernel.NR)
	return c.longer(8*p.a.Ld, tiles) <= c.copy
}

// directB reports whether the kernel reads B in place for the given rows of C: if rows of B are
// contiguous, and either few micro-panels of A would share the cost of a copy, or all of B stays in L2,
// where rows a multiple of a page apart displace each other. If a panel's row is at most a cache line,
// a copy pays earlier.
func (p *product) directB(rows int) bool {
	switch {
	case p.b.layout != byCols || p.b.Packed || p.b.diag != nil || p.engine.packing == always:
		return false
	case p.engine.packing == never:
		return true
	}
	cache := p.engine.caches.L2Share() / 2
	if 8*p.engine.kernel.NR <= line {
		cache /= 4
	}
	return rows <= fewPanels*p.engine.kernel.MR || 8*p.k*p.n <= cache && 8*p.b.Ld%page != 0
}

// fewPanels is the number of micro-panels of A that do not repay packing a block of B.
const fewPanels = 4

// A cache line, and a page of memory, in bytes. Where CPUs of an architecture differ, a line counts as
// long: rows at odd multiples of the short one are then measured, and judged, as not aligned.
const (
	line = int(kernel.Align)
	page = 4096
)

// accessCosts are what a micro-panel of A costs on this CPU for each step of the sum, in nanoseconds.
type accessCosts struct {
	copy    float64                    // to copy it
	inPlace [len(distances)]accessCost // how much longer the kernel takes in place, by the distance of rows
}

// An accessCost has a part for the panel and a part for each tile of C that it is multiplied for.
type accessCost struct{ panel, tile float64 }

// distances are the bytes between rows of A that are measured: each in another page; besides, not
// aligned; a whole number of pages, which is the same set of every cache.
var distances = [...]int{page + line, page + line + 8, page}

// longer returns how much longer the kernel takes for a step of the sum and the given number of tiles
// if A is in place, with rows the given number of bytes apart. Where several rows are in one page, it
// is less.
func (c *accessCosts) longer(bytes int, tiles float64) float64 {
	cost := c.inPlace[0]
	switch {
	case bytes%page == 0:
		cost = c.inPlace[2]
	case bytes%line != 0:
		cost = c.inPlace[1]
	}
	return (cost.panel + float64(tiles*cost.tile)) * min(1, float64(bytes)/page)
}

// costs are the access costs of a kernel, measured once.
type costs struct {
	once sync.Once
	accessCosts
}

// leastMeasured is the least time of a product, in nanoseconds, that repays measuring the costs. Until
// then A is read in place.
const leastMeasured = 20_000_000

// of returns the costs for p.
func (c *costs) of(p *product) accessCosts {
	if 2*float64(p.m)*float64(p.n)*float64(p.k) < leastMeasured*p.engine.kernel.Speed {
		return accessCosts{}
	}
	return c.get(p.engine)
}

// get returns the costs, and measures them at the first call.
func (c *costs) get(e *Engine) accessCosts {
	c.once.Do(func() { c.accessCosts = e.measureCosts() })
	return c.accessCosts
}

// measureCosts times the kernel on packed micro-panels and on panels in place, which come from beyond
// L2 as those of a large matrix do. The least of some times counts, since other work makes them longer.
func (e *Engine) measureCosts() (costs accessCosts) {
	const panels, fewTiles, manyTiles = 32, 1, 9
	k, mr, nr := e.blocks.KC, e.kernel.MR, e.kernel.NR
	x := make([]float64, k*slices.Max(distances[:])/8+panels*mr)
	a := aligned(nil, panels*mr*k)
	b, c := aligned(nil, manyTiles*nr*k), aligned(nil, manyTiles*nr*mr)
	other := make([]float64, e.caches.L2/4)
	for _, y := range [][]float64{x, a, b, other} {
		for i := range y {
			y[i] = 1
		}
	}
	x = x[-int(uintptr(unsafe.Pointer(&x[0])))%line/8&(line/8-1):]
	least := func(before, f func()) float64 {
		t := math.Inf(1)
		for range 5 {
			e.kernel.AbsMax(len(other), &other[0]) // displaces what is in L2
			before()
			began := time.Now()
			f()
			t = min(t, float64(time.Since(began).Nanoseconds())/float64(panels*k))
		}
		return t
	}
	s := source{Matrix: block.Dense(x, distances[0]/8), layout: byCols}
	pack := func() { s.pack(&e.kernel, nil, a, mr, 0, panels*mr, 0, k) }
	nothing := func() {}
	multiply := func(before func(), x []float64, col, panel, tiles int) float64 {
		return least(before, func() {
			for i := range panels {
				e.kernel.Gemm(mr, tiles*nr, k, 1, &x[i*panel], 1, col, kernel.Even, &b[0], nr, nr*k, kernel.Overwrite, &c[0], tiles*nr)
			}
		})
	}
	fewPacked, manyPacked := multiply(pack, a, mr, mr*k, fewTiles), multiply(pack, a, mr, mr*k, manyTiles)
	for i, d := range distances {
		few, many := multiply(nothing, x, d/8, mr, fewTiles)-fewPacked, multiply(nothing, x, d/8, mr, manyTiles)-manyPacked
		tile := (many - few) / (manyTiles - fewTiles)
		costs.inPlace[i] = accessCost{few - float64(fewTiles*tile), tile}
	}
	costs.copy = least(nothing, pack)
	return costs
}

// Packing says what EnvPacking is and which operands of large products it packs, by the costs of this
// CPU.
func (e *Engine) Packing() string {
	how := packings[e.packing]
	if e.packing != auto {
		return how
	}
	c := e.costs.get(e)
	for i, name := range []string{"", ", not aligned", ", pages"} {
		cost := c.inPlace[i]
		least := math.Ceil(max(1, (c.copy-cost.panel)/cost.tile)) * float64(e.kernel.NR)
		if cost.tile <= 0 || least > float64(e.blocks.NC*4) {
			how += fmt.Sprintf("; transposed A%s: in place", name)
		} else {
			how += fmt.Sprintf("; transposed A%s: packed for %.0f columns", name, least)
		}
	}
	return how
}
