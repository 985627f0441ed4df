package toolfs

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/gate"
	"github.com/toolfs/toolfs/internal/spill"
	"github.com/toolfs/toolfs/internal/textenc"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/tool"
	"github.com/toolfs/toolfs/vfs"
)

// files is what every tool's body works with.
type files struct {
	provider vfs.Provider
	gate     *gate.Gate
	limits   Limits
	search   SearchOptions
	results  *spill.Store      // nil: complete results are not kept
	sandbox  *sandbox.Service  // nil where the provider does not confine
	approval *approval.Service // may be nil
}

//go:embed tools
var texts embed.FS

// define reads a tool's fixed texts and schemas; {{name}} in them is a limit, or what
// fill gives for it.
func (f *files) define(name string, fill ...string) (*tool.Definition, string, error) {
	raw, err := texts.ReadFile("tools/" + name + ".json")
	if err != nil {
		return nil, "", err
	}
	guidance, err := texts.ReadFile("tools/" + name + ".md")
	if err != nil {
		return nil, "", err
	}
	escalation, err := f.escalationFields()
	if err != nil {
		return nil, "", err
	}
	text := strings.Replace(string(raw), "{{escalation}}", escalation, 1)
	text = strings.NewReplacer(fill...).Replace(text)
	for _, l := range limitFields() {
		text = strings.ReplaceAll(text, "{{"+l.name+"}}", strconv.FormatInt(l.get(&f.limits), 10))
	}
	var fixed struct {
		Title, Description string
		Parameters, Output json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &fixed); err != nil {
		return nil, "", err
	}
	def := &tool.Definition{Name: name, Title: fixed.Title, Description: fixed.Description}
	if def.Parameters, err = tool.ParseSchema(fixed.Parameters); err != nil {
		return nil, "", err
	}
	def.Output.Schema, err = tool.ParseSchema(fixed.Output)
	return def, strings.TrimSuffix(strings.NewReplacer(fill...).Replace(string(guidance)), "\n"), err
}

// resolve finds the target of a path as the session sees it. Where ".." is involved,
// the session's directory counts by its physical path, as in a shell that was started
// there. Contract section 6.2.
func (f *files) resolve(ctx context.Context, e *tool.Exec, op, path string) (vfs.Target, error) {
	base := f.defaultBase()
	if e.Session != nil && e.Session.Cwd != "" {
		base = e.Session.Cwd
		if climbs(base) || climbs(path) {
			base = f.physical(ctx, base)
		}
	}
	t, err := f.provider.Resolve(ctx, base, path)
	if vfs.CodeOf(err) == vfs.CodeNotDirectory {
		err = vfs.WithOp(err, op)
	}
	return t, err
}

// defaultBase is where relative paths start from without a session's directory: for all
// tools the workspace that a change would be judged by.
func (f *files) defaultBase() string {
	if f.sandbox == nil {
		return ""
	}
	return f.sandbox.Resolve("", "").WorkspaceRoot
}

func (f *files) physical(ctx context.Context, dir string) string {
	t, err := f.provider.Resolve(ctx, "", dir)
	if err != nil {
		return dir
	}
	path, err := vfs.ProcessPath(f.provider, t)
	if err != nil {
		return dir
	}
	return path
}

// climbs reports a ".." segment.
func climbs(path string) bool {
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == ".." {
			return true
		}
	}
	return false
}

// observed announces that the call's session knows the target's version now.
func (f *files) observed(e *tool.Exec, t vfs.Target, v vfs.Version) error {
	return f.gate.Observed.Emit(gate.Observed{Target: t, Session: e.SessionID(), Actor: e, Version: v})
}

// remedied adds to the failures that reading mends the words that say so. Contract
// section 12.5.
func remedied(err error) error {
	e, ok := errors.AsType[*vfs.Error](err)
	if !ok {
		return err
	}
	remedy := ""
	switch e.Code {
	case vfs.CodeStaleVersion:
		remedy = " — re-read the file, then retry"
	case vfs.CodeNotObserved:
		remedy = " — read the file, then retry"
	default:
		return err
	}
	return &vfs.Error{Op: e.Op, Path: e.Path, Code: e.Code, Msg: e.Msg + remedy, Err: err}
}

var errBlankFilePath = errors.New("file_path must be a non-empty string")

// filePath is the file_path argument, which must not be blank.
func filePath(a tool.Args) (string, error) {
	path, _ := a.String("file_path")
	if textenc.Blank(path) {
		return "", errBlankFilePath
	}
	return path, nil
}

// position is an optional argument that counts from 1.
type position struct {
	n     int
	text  string // as a message shows it
	given bool
}

// positive reads an optional positive integer. One that is larger than any file is
// kept as the largest int.
func positive(a tool.Args, name string, fallback int) (position, error) {
	n, ok := a.Number(name)
	if !ok {
		return position{n: fallback, text: strconv.Itoa(fallback)}, nil
	}
	if n.Value < 1 || n.Value != math.Trunc(n.Value) {
		return position{}, fmt.Errorf("%s must be a positive integer", name)
	}
	p := position{n: math.MaxInt, text: jsNumber(n.Value), given: true}
	if n.Value < 1<<53 {
		p.n = int(n.Value)
	}
	return p, nil
}

// whole is an optional argument for a card, which is made from arguments of any kind.
func whole(a tool.Args, name string) (int, bool) {
	n, ok := a.Number(name)
	if !ok || n.Value != math.Trunc(n.Value) || math.Abs(n.Value) > 1<<53 {
		return 0, false
	}
	return int(n.Value), true
}
