// Package modelfile keeps a fitted bls.Classifier or bls.Regressor in a file: the feature maps, the
// whole state of the output layer, the options, and what a program has to remember beside them, such as
// the names of the inputs.
//
// # What is kept
//
// Every number is written as its 64 bits, so a model that is saved, loaded and goes on to learn is to
// the last bit the one that never stopped, on the same backend and kind of machine. The same model and
// metadata give the same bytes, on every machine.
//
// # What cannot happen
//
// Save writes another file in the same folder, brings it to the disk, and gives it the name: whenever
// the program is killed or the power fails, there is the old file or the new one. Load refuses, by a
// typed error that says what to do,
//
//	a file that is something else       an error that wraps ErrNotAModel
//	a file by a newer program           *VersionError
//	a file that is not there as a whole *TruncatedError
//	a file of which a bit has changed   *ChecksumError
//	a file that no Write has written    *FormatError
//
// and does so with little memory: what a file says of sizes is believed only as far as the bytes are
// there. So a file from an unknown source can be read. It holds numbers and text, and nothing that is
// executed.
//
// # The format
//
// A header, then sections with a name, a length and a checksum each (CRC-32C), the last of which has
// the SHA-256 of all before it. docs/file-format.md describes it byte by byte, with what is promised
// about versions. Inspect lists the sections of a file and verifies the checksums without decoding the
// model.
package modelfile
