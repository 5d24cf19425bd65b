package dataset

// A point has x to the right and y down. In a skeleton (0, 0) is the center of the digit, which is
// about 140 units high.
type point struct{ x, y int64 }

// A skeleton consists of the strokes of a digit. Strokes may share control points. A stroke is the
// uniform quadratic B-spline of its points. It begins at the first point, ends at the last and is
// smooth between them; if both are the same point, it is closed and smooth everywhere. Where one stroke
// ends and another begins, there is a corner.
type skeleton struct {
	strokes string // the points of each stroke, as hexadecimal digits that index points; a space separates strokes
	points  []point
}

// maxPoints bounds the control points of a skeleton.
const maxPoints = 16

// skeletons holds the possible shapes of each digit.
var skeletons = [digitClasses][]skeleton{
	0: {
		{"012345670", // oval
			[]point{{0, -74}, {36, -58}, {46, 0}, {36, 58}, {0, 74}, {-36, 58}, {-46, 0}, {-36, -58}}},
		{"0123456789", // begun at the top and crossed there
			[]point{{-8, -72}, {-42, -50}, {-48, 10}, {-30, 70}, {14, 80}, {46, 40}, {46, -30}, {28, -72}, {-2, -76}, {-24, -62}}},
	},
	1: {
		{"0123", // a bar
			[]point{{2, -70}, {2, -20}, {-2, 20}, {-2, 70}}},
		{"012 234", // with a flag
			[]point{{-26, -42}, {-8, -54}, {6, -70}, {6, 0}, {4, 70}}},
		{"012 234 546", // with flag and foot
			[]point{{-24, -46}, {-8, -56}, {4, -70}, {4, 0}, {2, 68}, {-28, 68}, {32, 68}}},
	},
	2: {
		{"0123456 678", // with a corner at the foot
			[]point{{-38, -36}, {-30, -76}, {28, -80}, {48, -34}, {14, 10}, {-14, 38}, {-44, 68}, {0, 66}, {46, 64}}},
		{"0123456789a", // with a loop at the foot
			[]point{{-36, -44}, {-18, -80}, {34, -76}, {40, -26}, {16, 20}, {-14, 64}, {-48, 76}, {-48, 42}, {-14, 48}, {14, 74}, {48, 58}}},
	},
	3: {
		{"012345 56789a", // round
			[]point{{-38, -50}, {-20, -80}, {38, -78}, {42, -24}, {12, -6}, {-12, -4}, {30, -4}, {54, 26}, {38, 80}, {-22, 80}, {-42, 46}}},
		{"012 234 456789", // flat at the top
			[]point{{-36, -68}, {0, -68}, {38, -68}, {16, -38}, {-6, -14}, {44, -16}, {54, 44}, {20, 80}, {-24, 78}, {-42, 52}}},
	},
	4: {
		{"012 234 567", // open
			[]point{{-26, -66}, {-34, -24}, {-40, 14}, {0, 14}, {46, 10}, {24, -60}, {20, 0}, {16, 70}}},
		{"012 234 056", // closed
			[]point{{18, -70}, {-14, -24}, {-46, 22}, {0, 22}, {46, 22}, {18, 0}, {18, 70}}},
	},
	5: {
		{"012 234 456789a", // with corners
			[]point{{38, -68}, {4, -68}, {-28, -68}, {-32, -40}, {-36, -8}, {-6, -34}, {50, -20}, {50, 50}, {16, 80}, {-24, 76}, {-44, 52}}},
		{"012345678", // in one sweep
			[]point{{40, -66}, {0, -80}, {-34, -60}, {-36, -18}, {8, -14}, {46, 6}, {40, 70}, {-6, 80}, {-42, 56}}},
	},
	6: {
		{"0123456789", // bowed
			[]point{{30, -68}, {-12, -62}, {-42, -10}, {-48, 44}, {-16, 80}, {30, 74}, {46, 38}, {26, 4}, {-12, 4}, {-38, 34}}},
		{"012345678", // straight
			[]point{{8, -72}, {-16, -30}, {-38, 10}, {-48, 56}, {-10, 82}, {36, 72}, {40, 22}, {4, 4}, {-36, 32}}},
	},
	7: {
		{"012 234", // plain
			[]point{{-40, -64}, {0, -66}, {42, -68}, {16, -14}, {-10, 70}}},
		{"0123 345 67", // with a bar and a hook
			[]point{{-40, -46}, {-36, -68}, {0, -64}, {42, -68}, {16, -10}, {-6, 70}, {-20, 4}, {34, -2}}},
	},
	8: {
		{"0123456789ab0", // in one crossing stroke
			[]point{{36, -44}, {22, -80}, {-24, -80}, {-40, -42}, {-14, -10}, {22, 14}, {48, 44}, {26, 82}, {-26, 82}, {-48, 44}, {-22, 14}, {14, -10}}},
		{"0123450 36789a3", // of two rings
			[]point{{0, -76}, {36, -64}, {36, -16}, {0, -4}, {-36, -16}, {-36, -64}, {44, 10}, {44, 64}, {0, 78}, {-44, 64}, {-44, 10}}},
	},
	9: {
		{"0123450 067", // straight
			[]point{{38, -44}, {18, -80}, {-26, -76}, {-44, -38}, {-24, 0}, {18, -4}, {36, 10}, {26, 70}}},
		{"0123450 06789", // with a round tail
			[]point{{36, -42}, {18, -78}, {-24, -78}, {-42, -38}, {-22, -2}, {18, -6}, {46, 20}, {30, 78}, {-12, 78}, {-32, 58}}},
	},
}
