package main

import (
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

// leastShare is the share of the time of its CPUs that the peak gets at least where nothing else wants
// them: waking the other threads costs some hundredths.
const leastShare = 0.9

// undisturbed tells whether the loop had a CPU for each of its threads. One thread always has, since
// its clock stands still where it has not; and where the operating system does not tell, it is taken
// for granted.
func (p *peak) undisturbed() bool {
	return p.threads == 1 || p.worked == 0 || float64(p.worked) >= leastShare*float64(p.threads)*float64(p.lasted)
}
