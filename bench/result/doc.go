// Package result reads and writes files of measurements in JSON Lines: each line is a JSON object of
// one kind.
//
//	{"kind":"machine", ...}      where and how the lines below were measured: Machine
//	{"kind":"table", ...}        the settings of one of the paper's tables: bench.TableHead
//	{"kind":"row", ...}          a step of the table: bench.TableRow
//	{"kind":"flops", ...}        Table 1 at one choice of l, k and q: bench.FlopsCase
//	{"kind":"cell", ...}         the speed of an operation: speed.Result
//	{"kind":"cost", ...}         an update, predicted and measured: bench.Cost
//
// A machine applies to the lines below it, up to the next machine.
//
// An interrupted run keeps every finished line, and cat joins files that end with a whole line. Any
// JSON tool reads them. Lines of unknown kinds are skipped, so that a program can read files written by
// newer versions.
package result
