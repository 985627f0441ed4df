package vfstest

import "slices"

// Case is one thing that a provider must do.
type Case struct {
	Group, Name string

	// Rule is what the case proves, in one sentence.
	Rule string

	// Needs are the traits without which the case says nothing.
	Needs []Trait

	run func(*check)
}

// String is Group/Name, as the subtest is called.
func (k Case) String() string { return k.Group + "/" + k.Name }

// missing is a needed trait that is not among has, or "".
func (k Case) missing(has []Trait) Trait {
	for _, need := range k.Needs {
		if !slices.Contains(has, need) {
			return need
		}
	}
	return ""
}

type group struct {
	name  string
	cases []Case
}

func groups() []group {
	all := []group{
		{"Resolve", slices.Concat(resolveCases(), resolveLinkCases())},
		{"Stat", statCases()},
		{"Open", openCases()},
		{"Put", slices.Concat(putConditionCases(), putCases(), putRaceCases())},
		{"Stale", staleCases()},
		{"Text", slices.Concat(readTextCases(), writeTextCases())},
		{"Edit", slices.Concat(editCases(), editGuardCases())},
		{"List", listCases()},
		{"Names", nameCases()},
		{"Escape", slices.Concat(escapeCases(), escapeLaterCases())},
		{"Errors", errorCases()},
		{"Cancel", cancelCases()},
		{"Leak", leakCases()},
		{"Wrap", wrapCases()},
	}
	for _, g := range all {
		for i := range g.cases {
			g.cases[i].Group = g.name
		}
	}
	return all
}

// Cases gives every case, in order.
func Cases() []Case {
	var all []Case
	for _, g := range groups() {
		all = append(all, g.cases...)
	}
	return all
}
