package modelfile

import (
	"errors"
	"fmt"

	"blskernel/internal/io/atomicfile"
)

// ErrNotAModel is wrapped by the errors for a folder, an empty file and a file of another kind.
var ErrNotAModel = errors.New("modelfile: not a model file")

// ErrChanged is returned by Write and Save if the length of the model changes while they write it.
var ErrChanged = errors.New("modelfile: the model changed while it was being written: write it again, and do not change it meanwhile")

// WriteError is returned by Save if it fails and leaves the old file in place.
type WriteError = atomicfile.WriteError

// FolderError is returned by Save if the new file is in place but its folder could not be synced. A
// power loss may then restore the old file.
type FolderError = atomicfile.FolderError

// VersionError reports that a file has a version of the format that this program cannot read: a newer
// one, or version 1, which no release has written.
type VersionError struct {
	Have      int    // the version of the file
	Supported int    // the version that this program reads
	Software  string // the program that wrote the file, if known
}

func (e *VersionError) Error() string {
	do := "read it with a newer release of blskernel"
	switch {
	case e.Have < e.Supported:
		do = "train the model again"
	case e.Software != "":
		do = fmt.Sprintf("read it with %.80q, which wrote it, or a newer release", e.Software)
	}
	return fmt.Sprintf("modelfile: the file has version %d, but this program reads version %d: %s", e.Have, e.Supported, do)
}

// ChecksumError reports that a part of a file was altered: its checksum is wrong, or its length is
// impossible, so that the checksum cannot be found.
type ChecksumError struct {
	// Section is the name of the part, or the expected name if the name itself was altered. It is
	// "header" for the header, and "file" if each part is right but the whole is not.
	Section string
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("modelfile: the file was altered (the checksum of %q is wrong): "+
		"copy it again, in binary mode, or use a backup", e.Section)
}

// TruncatedError reports that a file ends before its sections do.
type TruncatedError struct {
	Section string // the section in which the file ends, or "header"; empty if its name or length is incomplete
	Bytes   int64  // length of the file
}

func (e *TruncatedError) Error() string {
	where := "where a section should begin"
	if e.Section != "" {
		where = fmt.Sprintf("in %q", e.Section)
	}
	return fmt.Sprintf("modelfile: the file is not complete (it ends at byte %d, %s): copy it again, or use a backup",
		e.Bytes, where)
}

// FormatError reports that a file has valid checksums but invalid content.
type FormatError struct {
	Section string // the name of the section
	Err     error  // what is wrong
}

func (e *FormatError) Error() string {
	// The text is cut: metadata may be 1 MiB of text, which errors of encoding/json repeat.
	return fmt.Sprintf("modelfile: section %q is invalid (%.300s): use a backup, or train again",
		e.Section, fmt.Sprint(e.Err))
}

func (e *FormatError) Unwrap() error { return e.Err }

// MetadataError reports that metadata cannot be written or does not match the model.
type MetadataError struct {
	Field string // the name of the field in the file
	What  string // what is wrong
}

func (e *MetadataError) Error() string {
	return fmt.Sprintf("modelfile: metadata: %s: %s", e.Field, e.What)
}
