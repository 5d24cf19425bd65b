package atomicfile

import (
	"fmt"

	"blskernel/internal/io/vfs"
)

// A WriteError reports that a file could not be written. The old file, if there was one, is in place.
type WriteError struct {
	Path string // of the file
	Kept string // path of the complete new file; empty if it was not kept
	Left string // path of an incomplete file that could not be removed; empty if there is none
	Err  error
}

func (e *WriteError) Error() string {
	text := fmt.Sprintf("%s could not be written, and any old file is unchanged: %v", e.Path, e.Err)
	if e.Kept != "" {
		at := e.Kept
		if isTemporary(e.Kept, e.Path) {
			at += ", which the next command that changes the file may remove"
		}
		return fmt.Sprintf("%s; the new file is complete and kept as %s: rename it yourself, or %s",
			text, at, vfs.Remedy(e.Err))
	}
	if e.Left != "" {
		text += fmt.Sprintf("; remove %s, an incomplete part of the new file", e.Left)
	}
	return text + ": " + vfs.Remedy(e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }

// A FolderError reports that the new file is in place, but its folder could not be synced.
type FolderError struct {
	Path string // of the file
	Err  error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("%s was written, but its folder could not be synced, so a power failure may undo this: %v", e.Path, e.Err)
}

func (e *FolderError) Unwrap() error { return e.Err }
