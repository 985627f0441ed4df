package vfstest

// Result is what came of one case.
type Result struct {
	Case

	// Missing is the trait for want of which the case was not run, or "".
	Missing Trait

	// Failures say what the provider did wrong; none: it passed.
	Failures []string
}

// Report is what came of all cases with one provider.
type Report struct {
	Name    string
	Traits  []Trait
	Results []Result
}

// Failed gives the cases that the provider failed.
func (r Report) Failed() []Result {
	var failed []Result
	for _, one := range r.Results {
		if len(one.Failures) > 0 {
			failed = append(failed, one)
		}
	}
	return failed
}

// Proved is how many cases the provider passed.
func (r Report) Proved() int {
	n := 0
	for _, one := range r.Results {
		if one.Missing == "" && len(one.Failures) == 0 {
			n++
		}
	}
	return n
}
