package speed

import (
	"bytes"
	"os"
	"runtime"
	"time"
)

const (
	// quietStep is the time between two checks of the threads.
	quietStep = 500 * time.Microsecond
	// maxQuiet bounds the wait: ten times the spinning of OpenBLAS 0.3.21.
	maxQuiet = time.Second
)

// Quiet waits until no other thread of the process runs or waits for a CPU. The workers of OpenBLAS
// spin for 0.1 s or more after a call. Quiet gives up after a second if there is other work.
//
// Quiet reads the states of the threads, which are known on Linux, the only system with the backend
// openblas. CPU times are too coarse: the kernel adds the time of a running thread only every few
// milliseconds, and under other load a spinning thread sometimes has no CPU.
func Quiet() {
	began := time.Now()
	waitQuiet(busyThreads, func() time.Duration { return time.Since(began) }, time.Sleep)
}

// waitQuiet is Quiet with the given clock and count of busy threads, which includes the caller's.
func waitQuiet(busy func() int, now func() time.Duration, sleep func(time.Duration)) {
	for end := now() + maxQuiet; busy() > 1 && now() < end; {
		sleep(quietStep)
	}
}

// busyThreads returns the number of threads that run or wait for a CPU, or 0 if this is not Linux.
func busyThreads() (n int) {
	const folder = "/proc/self/task/"
	threads, err := os.ReadDir(folder)
	if err != nil && runtime.GOOS == "linux" {
		return 2 // without /proc Quiet waits the full second
	}
	for _, t := range threads {
		stat, _ := os.ReadFile(folder + t.Name() + "/stat") // empty for a thread that has ended
		if bytes.Contains(stat, []byte(") R ")) {           // the state follows the name of the program
			n++
		}
	}
	return n
}
