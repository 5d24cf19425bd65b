package workers

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"blskernel/internal/testutil"

	"golang.org/x/sys/unix"
)

// TestAffinity checks that workers keep off the caller's CPU, and move to it while the caller sleeps.
func TestAffinity(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		t.Fatal(err)
	}
	if mask.Count() < 2 {
		t.Skip("the process has one CPU")
	}
	team := startTeam(t, 2)
	testutil.Eventually(t, "the workers", func() bool { return len(threadsOf(team)) == 2 })
	check := func(fits func(*unix.CPUSet) bool) {
		t.Helper()
		for _, id := range threadsOf(team) {
			var got unix.CPUSet
			if err := unix.SchedGetaffinity(id, &got); err != nil || !fits(&got) {
				t.Errorf("a worker may use CPUs %b, of %b; CPU %d is avoided (%v)", got[0], mask[0], team.threads.avoid-1, err)
			}
		}
	}
	for i := range 20 {
		// A caller that is bound to one CPU; the main thread stands for the process.
		if i == 10 && unix.Gettid() != unix.Getpid() {
			var only unix.CPUSet
			only.Set(currentCPU())
			if err := unix.SchedSetaffinity(0, &only); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unix.SchedSetaffinity(0, &mask) }()
		}
		for _, w := range team.threads.threads {
			w.working.Store(true)
		}
		team.threads.avoidCaller()
		check(func(got *unix.CPUSet) bool { return got.Count() == mask.Count()-1 && !got.IsSet(team.threads.avoid-1) })
		team.threads.takeCaller()
		check(func(got *unix.CPUSet) bool { return got.Count() == 1 })
	}
}

func threadsOf(team *Team) (ids []int) {
	team.threads.mu.Lock()
	defer team.threads.mu.Unlock()
	for _, w := range team.threads.threads {
		ids = append(ids, w.id)
	}
	return ids
}

// TestSleepWhile checks that the last worker wakes a sleeping caller, or that it looks again later.
func TestSleepWhile(t *testing.T) {
	var x atomic.Int32
	x.Store(1)
	go func() {
		x.Store(0)
		wakeSleepers(&x, 1)
	}()
	for x.Load() != 0 {
		sleepWhile(&x, 1, time.Second)
	}
	sleepWhile(&x, 1, time.Second) // returns at once
}

// TestThreadTime checks that the time of a thread includes only the time that it computes.
func TestThreadTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	time.Sleep(20 * time.Millisecond)
	if slept := threadTime() - before; slept > 10*time.Millisecond {
		t.Errorf("a thread that slept for 20 ms ran for %v", slept)
	}
	for i := 0; threadTime() == before; i++ {
	}
}
