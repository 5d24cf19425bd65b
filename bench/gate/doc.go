// Gate fails where a kernel has become slower than it was: it compares what each kernel of this CPU
// makes of the machine, now, with what it made of it when the baselines were measured.
//
//	go run ./bench/gate          compares with the baselines; exit status 1 where a kernel has lost
//	go run ./bench/gate -write   measures the baselines of this CPU and writes them
//
// # Ratios, not times
//
// Machines of continuous integration are shared: the same code may take a third longer than an hour
// ago. So no time is compared with a time of another run. What is compared are ratios of two speeds
// that were measured in the same run within a fraction of a second:
//
//	of peak        the kernel's flops per second over those of a loop of fused multiply-adds on registers,
//	               on as many threads
//	over OpenBLAS  the kernel's speed over that of OpenBLAS on the same operands; for inverses, of its LAPACK
//
// In each round every contender is timed once, in an order that is reversed from round to round, and
// the ratios are taken within the round. What holds for a cell, which is a case (an operation and its
// size), a number of threads and a kernel, is the median over the rounds. On one thread the clock is
// the time for which CPUs have worked for this process, so that a process that takes turns with it on a
// CPU does not count. On several it is that of the wall, since waiting for each other is what threads
// lose by; rounds in which the loop for the peak did not have a CPU for each thread are not used, and a
// cell with too few others is not judged. Package speed has the waits between timings, and every result
// is checked before it is timed.
//
// # The decision
//
// Against its baseline b a ratio r has kept the share r/b. A cell is suspicious where the median has
// kept less than 1 - tolerance, 0.9, by every reference that has a baseline; in the first attempt,
// which is short, less than 0.95. A kernel that is slower loses against both references, while what
// disturbs the machine, such as a neighbor that takes the bandwidth of memory, rarely does the same to
// a kernel, to registers and to OpenBLAS. So a cell is lost only if it has lost by both references: one
// that has lost by one of them and not by the other is kept, and -v prints both.
//
// Noise comes in phases, so a suspicious cell is measured again when all others are done, in three
// times the rounds, and is cleared where it is not suspicious then. One that has been suspicious in all
// attempts is lost if a sign test says so by each reference, over the rounds of all attempts but the
// first, by which it was chosen: were the median of the ratio still 0.9 of the baseline or more, each
// round would be below that with a probability of at most one half, and as many rounds below it as
// there were with one of at most 0.01 (W. J. Conover, "Practical Nonparametric Statistics", 1999,
// section 3.4). Nothing is assumed of how the noise is distributed. Otherwise the cell is doubtful,
// which is printed and does not fail.
//
// If more than eight groups of cells are suspicious, only those that lost the most are measured again:
// one that is lost is enough to fail, and a run has to end within minutes.
//
// # Baselines
//
// A folder for each model of a CPU has a file for each kernel, of lines as in package result: on which
// machine and with which version of OpenBLAS it was measured, what the peak was, and the two ratios of
// each case and number of threads. They are checked in, and a change of one is to be reviewed like one
// of the code. With -case or -threads only the lines of those cells are written anew; where OpenBLAS has
// another version than in the file, the other lines lose their ratios over it. Where OpenBLAS has another
// version than in the baseline, only the peak is compared with. A peak that is not that of the baseline,
// within the tolerance, is a warning: a ratio to a peak that is too low is too high.
//
// A run of all cases on all kernels fails as well where the CPU has a baseline of a case or of a kernel
// that is not measured any more, or has files for some of the kernels only: what has another name now
// is not compared, and could lose anything. With -case or -kernels that is not looked at, with -threads
// for those numbers. A cell that has no line in the file of its kernel is unknown, which does not fail.
//
// Where the CPU has no baselines at all the gate says so in a line, prints as a warning what is slower
// than OpenBLAS by more than the tolerance, and does not fail.
package main
