// Package result is the format in which measurements are kept: files of lines, each a JSON object of
// one kind.
//
//	{"kind":"machine", ...}      where and how the lines below were measured: Machine
//	{"kind":"table", ...}        the settings of one of the paper's tables: bench.TableHead
//	{"kind":"row", ...}          a step of it: bench.TableRow
//	{"kind":"flops", ...}        Table 1 at one choice of l, k and q: bench.FlopsCase
//	{"kind":"cell", ...}         the speed of an operation: speed.Result
//	{"kind":"cost", ...}         an update, predicted and measured: bench.Cost
//	{"kind":"agreement", ...}    a sum of such: bench.Agreement with its backend
//
// A machine holds for the lines below it, up to the next one.
//
// A line at a time, because a long run can then be interrupted at any moment without losing what is
// done; because files can be joined by cat, which File.Parts undoes; and because every tool reads it.
// Lines of other kinds are passed over: an older program reads a newer file, and this one the lines
// "crossover" of earlier files.
package result
