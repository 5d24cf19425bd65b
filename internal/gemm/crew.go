package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A crew is goroutines that stand by from one call to the next, each on a thread of its own: SetThreads
// starts one and ends it. A goroutine that is started for a call begins late, see startDelay; one that
// has been at work a moment ago begins at once. It looks out for the next call for a while, and then
// sleeps until it is woken.
//
// One call at a time has the crew; others find the CPUs at work and stay in the caller's goroutine. A
// call does not wait for members that have not joined it: what it would have been theirs to do is done
// when there are no more tasks.
type crew struct {
	use    sync.Mutex           // held by the call that has the crew
	job    atomic.Pointer[team] // what there is to do, or nil
	asleep atomic.Int64         // members that wait for wake, or are about to
	wake   chan struct{}
	quit   atomic.Bool
	gone   sync.WaitGroup
}

// standby is how long a member looks out for the next call before it sleeps.
const standby = 200 * time.Microsecond

// newCrew starts a crew.
func newCrew(members int) *crew {
	c := &crew{wake: make(chan struct{}, members)}
	c.gone.Add(members)
	for range members {
		go c.member()
	}
	return c
}

// size returns the number of members; a nil crew has none.
func (c *crew) size() int {
	if c == nil {
		return 0
	}
	return cap(c.wake)
}

// end makes the members go and returns when they have gone, each after the task that it is at. A call
// that has the crew goes on without them.
func (c *crew) end() {
	c.quit.Store(true)
	c.rouse(c.size())
	c.gone.Wait()
}

// rouse wakes as many members as it is told, if so many are asleep.
func (c *crew) rouse(members int) {
	for range members {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

// run shares the tasks of t with the members, unless another call has them. It reports whether it did.
func (c *crew) run(t *team) bool {
	if !c.use.TryLock() {
		return false
	}
	defer c.use.Unlock()
	c.job.Store(t)
	if asleep := c.asleep.Load(); asleep > 0 {
		c.rouse(int(asleep))
	}
	t.work(nil)
	c.job.Store(nil)
	// From here nobody joins: a member first says that it has and then looks whether the job is still
	// there.
	for spins := 0; t.joined.Load() > 0; spins++ {
		if spins > 1000 {
			runtime.Gosched()
		}
	}
	t.task = nil // members remember the team, which shall not keep the operands
	return true
}

// member works on one job after another until the crew ends.
func (c *crew) member() {
	runtime.LockOSThread() // a thread that is not used for anything else tends to stay on its CPU
	defer runtime.UnlockOSThread()
	defer c.gone.Done()
	var last *team
	for {
		t := c.await(last)
		if t == nil {
			return
		}
		last = t
		t.joined.Add(1)
		if c.job.Load() == t {
			t.work(&c.quit)
		}
		t.joined.Add(-1)
	}
}

// await returns the next job after last, or nil if the crew ends.
func (c *crew) await(last *team) *team {
	began := time.Now()
	for spins := 1; ; spins++ {
		if t := c.job.Load(); t != nil && t != last {
			return t
		}
		if c.quit.Load() {
			return nil
		}
		if spins%100 == 0 && time.Since(began) > standby {
			// Whoever posts a job after this has been counted wakes it, so a look comes between.
			c.asleep.Add(1)
			if t := c.job.Load(); (t == nil || t == last) && !c.quit.Load() {
				<-c.wake
			}
			c.asleep.Add(-1)
			began = time.Now()
		}
	}
}
