package disk

import (
	"io/fs"
	"os"
)

// A File is an *os.File of which only those methods can be called that ask for faults.
type File struct{ file *os.File }

// OpenFile is os.OpenFile.
func OpenFile(name string, flag int, mode fs.FileMode) (*File, error) {
	if _, err := ask(Open, name, 0); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// OpenTemp is os.CreateTemp in the folder for temporary files.
func OpenTemp(pattern string) (*File, error) {
	if _, err := ask(Open, pattern, 0); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Of returns a File for one that was opened in another way.
func Of(f *os.File) *File { return &File{f} }

// Name returns the name that the file was opened by.
func (f *File) Name() string { return f.file.Name() }

// Fd returns the file descriptor.
func (f *File) Fd() uintptr { return f.file.Fd() }

// Stat returns what the system knows about the file.
func (f *File) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// Chown gives the file an owner and a group.
func (f *File) Chown(user, group int) error { return f.file.Chown(user, group) }

// Chmod gives the file permissions.
func (f *File) Chmod(mode fs.FileMode) error {
	if _, err := ask(Chmod, f.Name(), 0); err != nil {
		return err
	}
	return f.file.Chmod(mode)
}

// Read is io.Reader's.
func (f *File) Read(p []byte) (int, error) {
	if _, err := ask(Read, f.Name(), len(p)); err != nil {
		return 0, err
	}
	return f.file.Read(p)
}

// ReadAt is io.ReaderAt's.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	if _, err := ask(Read, f.Name(), len(p)); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, offset)
}

// Write is io.Writer's.
func (f *File) Write(p []byte) (int, error) {
	done, failed := ask(Write, f.Name(), len(p))
	n, err := f.file.Write(p[:done])
	if err == nil {
		err = failed
	}
	return n, err
}

// WriteAt is io.WriterAt's.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	done, failed := ask(Write, f.Name(), len(p))
	n, err := f.file.WriteAt(p[:done], offset)
	if err == nil {
		err = failed
	}
	return n, err
}

// Seek is io.Seeker's.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	if _, err := ask(Seek, f.Name(), 0); err != nil {
		return 0, err
	}
	return f.file.Seek(offset, whence)
}

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error {
	if _, err := ask(Truncate, f.Name(), 0); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

// Sync brings the file to the disk.
func (f *File) Sync() error {
	if _, err := ask(Sync, f.Name(), 0); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close closes the file, also where it returns an error.
func (f *File) Close() error {
	_, failed := ask(Close, f.Name(), 0)
	if err := f.file.Close(); err != nil {
		return err
	}
	return failed
}
