package dataset

// FindMNIST returns the paths of the images and the labels of the training set, or of the test set, in
// a folder that has files named as MNIST's. The spellings are those of [FindFile], and only the two
// files are looked for.
//
//	errors: *MissingError (errors.Is fs.ErrNotExist) where the folder or a file is missing; *FormatError
//	where dir is a file or a folder bears the name of a file; any other error is the operating system's.
func FindMNIST(dir string, test bool) (images, labels string, err error) {
	names := mnistFiles[:2]
	if test {
		names = mnistFiles[2:]
	}
	paths, err := findSet(dir, names)
	if err != nil {
		return "", "", err
	}
	return paths[0], paths[1], nil
}
