package bench

import (
	"blskernel/blsupdate"
	"blskernel/internal/memory"
)

// checkMemory returns a *blsupdate.MemoryError where there is no room for the models of all variants at
// the end, which are there at the same time, with the nodes of the samples of the last step.
func (e *Incremental) checkMemory() error {
	last := e.Initial
	if e.Updates > 0 {
		last = e.Batch
	}
	need := memory.Floats(last, e.Nodes())
	for _, v := range e.Variants {
		need = memory.Sum(need, blsupdate.StateBytes(v.Method, e.Initial+e.Updates*e.Batch, e.Nodes(), e.Train.Classes))
	}
	return memory.Check(need, "bench", "take fewer variants, nodes or samples",
		"a run of %d variants with %d nodes and %d samples", len(e.Variants), e.Nodes(), e.Initial+e.Updates*e.Batch)
}

// checkMemory returns a *blsupdate.MemoryError where there is no room for all rows and the largest of
// the models.
func (c *Crossover) checkMemory(most int) error {
	var model int64
	for _, v := range c.Variants {
		model = max(model, blsupdate.StateBytes(v.Method, c.L, c.K, c.C))
	}
	return memory.Check(memory.Sum(memory.Floats(c.L+most, c.K), memory.Floats(c.L+most, c.C), model), "bench", "take fewer rows or nodes",
		"a crossover of %d rows added to %d, with %d nodes and %d targets", most, c.L, c.K, c.C)
}
