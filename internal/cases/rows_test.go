package cases_test

// painRows are the rows of the log that concern file tools or those who wrote them
// before; its numbers have gaps.
const painRows = `
	1 2 4 5 6 7 8 9 10 12 13 16 17 18 19 20 22 23 24 26 28 29 30
	31 32 33 34 35 36 38 40 41 42 43 44 45 47 48 49
	51 52 53 54 55 56 57 58 59 60 61 62 63 64 66 67 68 69 71 72 74 75 76 77 78 79
	80 81 82 83 86 87 88 89 90 91 92 93 94 96 97 98 99 101 102
	s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19 s20 s21 s22 s23 s24 s25
`

// attackRows are the attacks and races that concern list, read, write and edit and can
// be brought about in one process on an ordinary disk.
const attackRows = `
	1 2 7 9 10 11 12 13 14
	74 75 82 83 84 87
	96 97 98 99 101 102 105 107 109
	110 111 113 114 116 117 118 119 120
`

const (
	noSearch    = "it is about glob or grep, and searching is not built yet"
	lookAlike   = "a name that is not there is not found: the contract fixes the text, and no look-alike is taken or offered (case-026 holds to that)"
	oneEditOnly = "a call makes one edit in one file; there is no tool for several"
)

// notApplicable are the rows of the log that have no test, and why.
var notApplicable = map[string]string{
	"23": lookAlike,
	"24": lookAlike,
	"45": "the contract counts a read of any window as a read of the file, for an edit and for an overwrite",
	"55": "renaming over an open file fails on another operating system only",
	"60": noSearch,
	"63": noSearch,
	"72": "no file system here has files whose bytes are elsewhere",
	"74": "the forms of path in question belong to another operating system; here they are ordinary names",
	"76": "there are no rules on paths yet, and no file system here folds case",
	"78": noSearch,
	"79": noSearch,
	"80": noSearch,
	"81": noSearch,
	"86": noSearch,
	"87": noSearch,
	"99": oneEditOnly,

	"s4":  "it takes a file system without hard links, which a test cannot mount everywhere",
	"s8":  noSearch,
	"s10": oneEditOnly,
}
