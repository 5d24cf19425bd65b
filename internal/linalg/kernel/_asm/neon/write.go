package neon

// writers has the function for each file.
var writers = map[string]func(*generator){
	"peak": peak, "tanh": tanh, "gemm": gemm, "pack": pack, "triangle": triangle,
	"level1": level1, "level2": level2, "search": search, "pause": pause,
}

// A File is the assembly of one file and the declarations of its functions, both without a header.
type File struct{ Name, Assembly, Declarations string }

// Write returns the file of the given name.
func Write(name string) File {
	var g generator
	writers[name](&g)
	return File{name, "#include \"textflag.h\"\n" + g.data.String() + g.text.String(), g.declarations.String()}
}
