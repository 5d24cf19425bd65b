package bls

import (
	"blskernel/blsupdate"
	"blskernel/internal/memory"
	"blskernel/mat"
)

// mapsBytes returns the bytes of the maps from d inputs to n feature nodes and n3 enhancement nodes.
func mapsBytes(d, n, n3 int) int64 {
	return memory.Sum(memory.Floats(d+1, n), memory.Floats(n+1, n3))
}

// checkMemory returns a *MemoryError where there is no room for some bytes and the nodes of rows samples.
func checkMemory(bytes int64, rows, nodes int) error {
	return memory.Check(memory.Sum(bytes, memory.Floats(rows, nodes)), "bls", "take fewer nodes, or give the samples in batches",
		"computing %d nodes of %d samples", nodes, rows)
}

// checkModelMemory returns a *MemoryError where there is no room for a model of the samples x (l×d) and the targets
// y (l×c): for its maps, the nodes of the samples and the state of the output layer, which are there at the same time. Options
// that are out of range are left to those who use them.
func checkModelMemory(s settings, x, y *mat.Dense) error {
	opt, err := s.features.resolve()
	if err != nil {
		return nil
	}
	l, d := x.Dims()
	_, c := y.Dims()
	n, n3 := opt.Groups*opt.GroupNodes, opt.EnhancementNodes
	k := n + n3
	if s.intercept {
		k++
	}
	need := memory.Sum(mapsBytes(d, n, n3), memory.Floats(l, k), blsupdate.StateBytes(s.method, l, max(k, 0), c))
	const do = "take fewer nodes, fit fewer samples and give the others to PartialFit in batches, " +
		"or take the method gram or qr, whose model does not grow with the samples"
	return memory.Check(need, "bls", do, "a fit of %d nodes to %d samples by %v", k, l, s.method)
}
