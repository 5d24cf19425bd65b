package neon

// outputs are the files of the package for NEON.
var outputs = []struct {
	name  string
	write func(*generator)
}{
	{"peak", peak},
	{"gemm", gemm},
	{"triangle", triangle},
	{"level1", level1},
	{"level2", level2},
	{"pack", pack},
	{"tanh", tanh},
	{"search", search},
}

// A File is the assembly of one file and the declarations of its functions, both without a header.
type File struct{ Name, Assembly, Declarations string }

// Files returns the files of the package for NEON.
func Files() []File {
	var files []File
	for _, o := range outputs {
		files = append(files, file(o.name, o.write))
	}
	return files
}

// Pause returns the one file of package pause for arm64.
func Pause() []File { return []File{file("pause", pause)} }

func file(name string, write func(*generator)) File {
	var g generator
	write(&g)
	return File{name, "#include \"textflag.h\"\n" + g.data.String() + g.text.String(), g.declarations.String()}
}
