package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing/fstest"

	"blskernel/dataset/stream"
)

// A function of the caller opens the files, here from an fs.FS. Up to three bad lines are left out and
// shown.
func ExampleOptions() {
	bucket := fstest.MapFS{
		"2024.csv": {Data: []byte("age,height\n31,1.75\n?,1.62\n28,1.80\n")},
		"2025.csv": {Data: []byte("age,height\n45\n19,1.68\n")},
	}
	bad := 0
	r, err := stream.Open(context.Background(), []string{"2024.csv", "2025.csv"}, stream.Options{
		Targets: []string{"height"},
		Open: func(_ context.Context, path string) (io.ReadCloser, error) {
			return bucket.Open(path)
		},
		Bad: func(e *stream.Error) error {
			if bad++; bad > 3 {
				return errors.New("too many bad lines")
			}
			fmt.Println(e)
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	batch, err := r.Next(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(batch.X.RawMatrix().Data, batch.Y.RawMatrix().Data, batch.Where(2))

	_, err = stream.Open(context.Background(), []string{"2026.csv"}, stream.Options{
		Open: func(_ context.Context, path string) (io.ReadCloser, error) { return bucket.Open(path) },
	})
	fmt.Println(errors.Is(err, fs.ErrNotExist), err)
	// Output:
	// stream: 2024.csv:3: column "age" is "?", a missing value; fill in a number or remove the row
	// stream: 2025.csv:2: the line has 1 cells, but the first line has 2, separated by ','
	// [31 28 19] [1.75 1.8 1.68] 2025.csv:3
	// true stream: 2026.csv: cannot be opened: file does not exist
}
