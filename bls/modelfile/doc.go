// Package modelfile stores a fitted bls.Classifier or bls.Regressor in a file. A file holds the feature
// maps, the state of the output layer, the options, and metadata such as the names of the inputs.
//
// # What a file holds
//
// Every number is written as its 64 bits, so a loaded model continues to learn exactly as the saved one
// would. With the backend openblas this holds on the same kind of machine; docs/file-format.md states
// the guarantee. The same model and metadata give the same bytes on every machine.
//
// # Safety
//
// Save writes a temporary file in the same folder, syncs it, and renames it: after a kill or a power
// loss either the old or the new file exists. Load rejects files with errors that say what to do:
//
//	a file that is something else      an error that wraps ErrNotAModel
//	a file of another version          *VersionError
//	a file that ends too early         *TruncatedError
//	a file with a changed bit          *ChecksumError; in a length, perhaps *TruncatedError
//	a file that Write did not write    *FormatError
//
// Load needs little memory to reject a file, since it trusts no size until it has read the bytes. Files
// from unknown sources are safe to load: a file holds numbers and text, and nothing is executed.
//
// # The format
//
// A file has a header and sections, each with a name, a length and a checksum. docs/file-format.md
// describes each byte. Inspect lists sections and verifies checksums without decoding the model.
package modelfile
