package gemm

// held is the crew that calls of Hold share; guarded by setting.
var held struct {
	calls int
	crew  *crew // nil where there was one already when it was wanted
}

// Hold starts a crew for a caller that is about to do many products of so many flops in all, unless
// goroutines stand by already or the work is not worth it, and returns a function to be called once,
// when that is done, which ends the crew. Between the two even short products are shared. Callers may
// hold at the same time: they share the crew, and it ends with the last. SetThreads ends it at once and
// has its own way.
func (e *Engine) Hold(flops float64) (release func()) {
	if flops < leastHeld*e.kernel.Speed || Threads() == 1 {
		return func() {}
	}
	setting.Lock()
	defer setting.Unlock()
	held.calls++
	if standing.Load() == nil && held.crew == nil {
		if members := crewSize(Threads()); members > 0 {
			held.crew = newCrew(members)
			standing.Store(held.crew)
		}
	}
	return letGo
}

// letGo is what Hold returns. It waits for the task that a member is at, which may be another caller's,
// and lets nobody wait for that.
func letGo() {
	if c := detach(); c != nil {
		c.end()
	}
}

// detach returns the crew that is held by nobody any more, if there is one. From then on no call finds
// it.
func detach() *crew {
	setting.Lock()
	defer setting.Unlock()
	if held.calls--; held.calls > 0 || held.crew == nil {
		return nil
	}
	c := held.crew
	held.crew = nil
	standing.Store(nil)
	return c
}

// leastHeld is the time, in nanoseconds, from which on work is worth a crew of its own: many times what
// it takes to start and end one.
const leastHeld = 1_000_000
