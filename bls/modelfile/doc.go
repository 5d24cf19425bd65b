// Package modelfile keeps a fitted bls.Classifier or bls.Regressor in a file. The file has the feature
// maps, the state of the output layer, the options, and metadata such as the names of the inputs.
//
// # What a file keeps
//
// Every number is written as its 64 bits. So a model that is saved, loaded and goes on to learn is to
// the last bit the one that never stopped, on the same backend and kind of machine. The same model and
// metadata give the same bytes on every machine.
//
// # Safety
//
// Save writes another file in the same folder, syncs it, and renames it: after a kill or a loss of
// power there is the old file or the new one. Load refuses files by typed errors that say what to
// do:
//
//	a file that is something else      an error that wraps ErrNotAModel
//	a file of another version          *VersionError
//	a file that ends too early         *TruncatedError
//	a file with a bit changed          *ChecksumError
//	a file that no Write has written   *FormatError
//
// It refuses them with little memory, since it believes a size only as far as the bytes are there. So
// it can read a file from an unknown source, which holds numbers and text and nothing that is executed.
//
// # The format
//
// A header, then sections with a name, a length and a checksum each; docs/file-format.md describes each
// byte. Inspect lists the sections and verifies the checksums without decoding the model.
package modelfile
