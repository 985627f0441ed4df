package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolfs/toolfs/approval"
)

// terminal asks on the terminal that the program was started from, whatever its standard
// streams are; without one the answer is that nobody can be asked.
func terminal(ctx context.Context, r approval.Request) (approval.Answer, error) {
	in, out, err := openTerminal()
	if err != nil {
		return approval.Answer{Outcome: approval.Unavailable}, nil
	}
	defer in.Close()
	defer out.Close()
	answers := make(chan approval.Answer, 1)
	go func() {
		answer, err := prompt(in, out, r)
		if err != nil {
			answer = approval.Answer{Outcome: approval.Cancelled}
		}
		answers <- answer
	}()
	select {
	case answer := <-answers:
		return answer, nil
	case <-ctx.Done():
		fmt.Fprintln(out)
		return approval.Answer{Outcome: approval.Cancelled}, nil
	}
}

func openTerminal() (in, out *os.File, err error) {
	if runtime.GOOS == "windows" {
		in, err = os.OpenFile("CONIN$", os.O_RDWR, 0)
		if err == nil {
			out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0)
		}
	} else {
		in, err = os.Open("/dev/tty")
		if err == nil {
			out, err = os.OpenFile("/dev/tty", os.O_WRONLY, 0)
		}
	}
	if err != nil && in != nil {
		in.Close()
	}
	return in, out, err
}

// prompt shows what would happen and reads the answer. Nothing but a clear yes allows it.
func prompt(in io.Reader, out io.Writer, r approval.Request) (approval.Answer, error) {
	if _, err := io.WriteString(out, question(r)); err != nil {
		return approval.Answer{}, err
	}
	lines := bufio.NewScanner(in)
	for range 3 {
		if _, err := fmt.Fprint(out, "Allow it? [y] once, [f] this file or [d] this directory for the session, [N] no: "); err != nil {
			return approval.Answer{}, err
		}
		if !lines.Scan() {
			return approval.Answer{}, errors.Join(lines.Err(), io.ErrUnexpectedEOF)
		}
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
			return approval.Answer{Outcome: approval.AllowedOnce}, nil
		case "f", "file":
			return approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeFile}, nil
		case "d", "directory":
			return approval.Answer{Outcome: approval.AllowedOnce, Scope: approval.ScopeDirectory}, nil
		case "", "n", "no":
			return approval.Answer{Outcome: approval.Rejected}, nil
		}
	}
	return approval.Answer{Outcome: approval.Rejected}, nil
}

func question(r approval.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s (%s) wants to change %s\n", r.Tool, r.Operation, visible(r.Path))
	fmt.Fprintf(&b, "  needs  %s, where %s is in force: %s\n", r.Mode, r.Standing, r.Rule)
	fmt.Fprintf(&b, "  the model says: %s\n", visible(r.Justification))
	for _, d := range r.Diffs {
		b.WriteString("  ---\n")
		if d.OldText != nil {
			mark(&b, "- ", *d.OldText)
		}
		mark(&b, "+ ", d.NewText)
	}
	if r.Cut {
		b.WriteString("  … the rest of the change is not shown\n")
	}
	return b.String()
}

func mark(b *strings.Builder, sign, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("  " + sign + visible(strings.TrimRight(line, "\r\n")) + "\n")
	}
}

// visible writes a text so that nothing in it steers the terminal or hides.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) || r == '\t' {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}
