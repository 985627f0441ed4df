package vfstest

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Support writes what the reports say as Markdown: which provider has which traits, and
// which cases it proved (✓), failed (✗), or was not asked for want of a trait (–).
func Support(w io.Writer, reports ...Report) error {
	var names []string
	for _, r := range reports {
		names = append(names, r.Name)
	}
	p := &printer{w: w}
	p.head(names, "")
	p.row([]string{"cases proved"}, reports, func(r Report) string { return fmt.Sprintf("%d of %d", r.Proved(), len(r.Results)) })
	for _, trait := range Traits() {
		p.row([]string{string(trait)}, reports, func(r Report) string { return mark(slices.Contains(r.Traits, trait)) })
	}
	for _, g := range groups() {
		p.printf("\n### %s\n\n", g.name)
		p.head(names, g.name, "the rule that it proves")
		for _, k := range g.cases {
			p.row([]string{k.Name, k.Rule}, reports, func(r Report) string { return r.verdict(k) })
		}
	}
	return p.err
}

func mark(yes bool) string {
	if yes {
		return "✓"
	}
	return "–"
}

// verdict is what came of one case; "" when it was not run at all.
func (r Report) verdict(k Case) string {
	for _, one := range r.Results {
		switch {
		case one.Group != k.Group || one.Name != k.Name:
		case len(one.Failures) > 0:
			return "✗"
		default:
			return mark(one.Missing == "")
		}
	}
	return ""
}

// printer writes a table and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) head(names []string, first ...string) {
	p.printf("| %s |\n", strings.Join(slices.Concat(first, names), " | "))
	p.printf("|%s%s\n", strings.Repeat("---|", len(first)), strings.Repeat(":-:|", len(names)))
}

func (p *printer) row(first []string, reports []Report, cell func(Report) string) {
	for _, r := range reports {
		first = append(first, cell(r))
	}
	p.printf("| %s |\n", strings.Join(first, " | "))
}
