package bench

// Progress is told of the work done so far and the work in all, in flops by the model, and of what is
// being done. What a part of it took replaces what was planned for it as soon as it is over, so total
// may change; done/total never falls. Every experiment that knows how much there is to do has one.
type Progress func(done, total float64, doing string)
