package workers

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An affinity keeps the threads of the workers on CPUs that the process may use, and off the CPU of the
// caller. Linux often wakes a worker on the caller's CPU, and the two then take turns.
type affinity struct {
	mu      sync.Mutex
	threads []*workerThread
	base    unix.CPUSet // the CPUs of the newest worker when it began
	avoid   int         // the CPU that the threads avoid, plus 1; 0 if they must be bound again
}

// add adds the calling thread to s.threads.
func (s *affinity) add() *workerThread {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &workerThread{id: unix.Gettid()}
	s.threads = append(s.threads, w)
	_ = unix.SchedGetaffinity(0, &s.base) // on failure base is empty, and bind ignores it
	s.avoid = 0
	return w
}

// remove removes a thread from s.threads and binds it to the CPUs of base again, because the process's
// main thread does not end when its worker ends.
func (s *affinity) remove(w *workerThread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	bind(w, &s.base)
	s.threads = slices.DeleteFunc(s.threads, func(v *workerThread) bool { return v == w })
}

// avoidCaller moves the threads off the calling thread's CPU, unless they avoid that CPU already.
func (s *affinity) avoidCaller() {
	cpu := currentCPU()
	s.mu.Lock()
	defer s.mu.Unlock()
	if cpu+1 == s.avoid {
		return
	}
	s.avoid = cpu + 1
	mask := s.process()
	if mask.Count() > 1 {
		mask.Clear(cpu)
	}
	for _, w := range s.threads {
		bind(w, &mask)
	}
}

// process returns the CPUs that the process may use: the CPUs of its main thread, which taskset(1)
// changes, or base if the main thread is a worker. The calling thread may be restricted further.
func (s *affinity) process() (mask unix.CPUSet) {
	main := unix.Getpid()
	if slices.ContainsFunc(s.threads, func(w *workerThread) bool { return w.id == main }) ||
		unix.SchedGetaffinity(main, &mask) != nil {
		return s.base
	}
	return mask
}

// takeCaller moves the working threads to the CPU of the calling thread, which is about to sleep.
func (s *affinity) takeCaller() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.avoid = 0
	var mask unix.CPUSet
	mask.Set(currentCPU())
	for _, w := range s.threads {
		if w.working.Load() {
			bind(w, &mask)
		}
	}
}

// bind restricts a thread to the CPUs of a mask, unless the mask is empty. If the system refuses, the
// thread keeps its CPUs: calls may be slower, but results are the same.
func bind(w *workerThread, mask *unix.CPUSet) {
	if mask.Count() > 0 {
		_ = unix.SchedSetaffinity(w.id, mask)
	}
}

func currentCPU() int {
	var cpu uint32
	_, _, _ = unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return int(cpu)
}

func threadTime() time.Duration {
	var t unix.Timespec
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// lends reports whether, on this system, a caller can give its CPU to a worker and sleep.
const lends = true

// Operations of futex(2), private to one process.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// sleepWhile sleeps, if *x == value, until wakeSleepers wakes it or the time most has passed.
func sleepWhile(x *atomic.Int32, value int32, most time.Duration) {
	t := unix.NsecToTimespec(int64(most))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(x)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&t)), 0, 0)
}

// wakeSleepers wakes at most n threads that sleep in sleepWhile on x, and returns their number.
func wakeSleepers(x *atomic.Int32, n int) int {
	woken, _, failed := unix.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(x)), futexWake, uintptr(n))
	if failed != 0 {
		return 0
	}
	return int(woken)
}
