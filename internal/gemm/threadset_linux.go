package gemm

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A threadSet says where the threads of a pool's workers run: not on the CPU of the caller, where Linux
// often wakes them and the two take turns; and only on CPUs that the process may use.
type threadSet struct {
	mu    sync.Mutex
	ids   []int
	avoid int // the CPU that they avoid, plus 1; 0 if they are to be placed anew
}

// add makes the calling thread one of the set.
func (s *threadSet) add() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = append(s.ids, unix.Gettid())
	s.avoid = 0
}

// remove takes the calling thread out of the set.
func (s *threadSet) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := unix.Gettid()
	s.ids = slices.DeleteFunc(s.ids, func(i int) bool { return i == id })
}

// avoidCaller moves the threads away from the CPU of the calling thread, if that has another one than
// at the last call.
func (s *threadSet) avoidCaller() {
	cpu := currentCPU()
	s.mu.Lock()
	defer s.mu.Unlock()
	if cpu+1 == s.avoid {
		return
	}
	s.avoid = cpu + 1
	var mask unix.CPUSet
	if unix.SchedGetaffinity(0, &mask) == nil {
		mask.Clear(cpu)
		s.bind(&mask)
	}
}

// takeCaller moves the threads to the CPU of the calling thread, which is about to sleep.
func (s *threadSet) takeCaller() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.avoid = 0
	var mask unix.CPUSet
	mask.Set(currentCPU())
	s.bind(&mask)
}

// bind allows the threads the CPUs of a mask, unless that is empty. Where the system refuses, they stay
// where they are, which is slower.
func (s *threadSet) bind(mask *unix.CPUSet) {
	if mask.Count() == 0 {
		return
	}
	for _, id := range s.ids {
		_ = unix.SchedSetaffinity(id, mask)
	}
}

// currentCPU returns the CPU of the calling thread.
func currentCPU() int {
	var cpu uint32
	_, _, _ = unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return int(cpu)
}

// threadTime returns the CPU time of the calling thread.
func threadTime() time.Duration {
	var t unix.Timespec
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// lends reports that a caller can sleep while a worker has its CPU.
const lends = true

// The operations of futex(2), for one process.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// sleepWhile sleeps until wakeSleepers is called or the time is over, unless *x is no longer value.
func sleepWhile(x *atomic.Int32, value int32, most time.Duration) {
	t := unix.NsecToTimespec(int64(most))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(x)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&t)), 0, 0)
}

// wakeSleepers ends sleepWhile in at most n threads.
func wakeSleepers(x *atomic.Int32, n int) {
	_, _, _ = unix.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(x)), futexWake, uintptr(n))
}
