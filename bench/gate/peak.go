package main

import (
	"math"
	"sync"
	"time"

	"blskernel/bench/speed"
)

// A peak is the loop of fused multiply-adds, and how much of the CPUs it got.
type peak struct {
	speed.Contender
	threads        int
	worked, lasted time.Duration // of the CPUs and of the wall, over its calls
}

// peak returns the loop on as many threads, each of which runs all of its steps: like a product that is
// divided evenly, it is finished when the last of them is. The numbers converge to 2.
func (s *stand) peak(threads int) *peak {
	loop := func() { s.fastest.Peak(s.steps, 0.5, 1) }
	p := &peak{threads: threads}
	p.Contender = speed.Contender{
		Call: func() {
			worked, began := speed.CPUTime(), time.Now()
			var others sync.WaitGroup
			for range threads - 1 {
				others.Add(1)
				go func() { defer others.Done(); loop() }()
			}
			loop()
			others.Wait()
			p.worked += speed.CPUTime() - worked
			p.lasted += time.Since(began)
		},
		Reset: func() {},
		Most:  1 << 20,
	}
	return p
}

// steadied is how many calls are timed for a number of steps.
const steadied = 5

// stepsFor returns the steps, a power of two, with which a call takes a time at least, by a clock. The
// least of several times counts: one in which something else was done as well, if only once, would let
// so few steps pass that looking at the clocks before and after them became a part of the peak.
func stepsFor(call func(steps int), now func() time.Duration, atLeast time.Duration) int {
	for steps := 1 << 10; ; steps *= 2 {
		shortest := time.Duration(math.MaxInt64)
		for range steadied {
			began := now()
			call(steps)
			shortest = min(shortest, now()-began)
		}
		if shortest >= atLeast {
			return steps
		}
	}
}

// leastShare is the share of the time of its CPUs that the peak gets at least where nothing else wants
// them: waking the other threads costs some hundredths.
const leastShare = 0.9

// undisturbed tells whether the loop had a CPU for each of its threads. One thread always has, since
// its clock stands still where it has not; and where the operating system does not tell, it is taken
// for granted.
func (p *peak) undisturbed() bool {
	return p.threads == 1 || p.worked == 0 || float64(p.worked) >= leastShare*float64(p.threads)*float64(p.lasted)
}
