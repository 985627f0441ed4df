package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/approval"
	"github.com/toolfs/toolfs/card"
	"github.com/toolfs/toolfs/tool"
)

type callCommand struct {
	workspace
	Tool      string `arg:"" help:"The tool: list, glob, grep, read, write or edit."`
	Arguments string `arg:"" name:"json" optional:"" default:"{}" help:"Its arguments as a JSON object; - reads them from standard input."`
	JSON      bool   `help:"Print the whole result as JSON: content, value, error, meta and cards."`
	Session   string `placeholder:"FILE" type:"path" help:"Keep in FILE what has been read, so that a later call may change it."`
}

// Help is shown below the command's flags.
func (callCommand) Help() string {
	return `Prints what a model would see, also of a tool's error. Exit code 1 is a tool's
error, 2 a mistake in the command line.

Examples:
  toolfs call list '{"path":"src"}'
  toolfs call grep '{"pattern":"func main","include":"*.go"}'
  toolfs call --session s.json read '{"file_path":"notes.md"}'
  toolfs call --session s.json edit '{"file_path":"notes.md","old_string":"teh","new_string":"the"}'
  jq -n '{file_path:"a.txt",content:"hello\n"}' | toolfs call write -`
}

// sessionID names the only session of a process that runs one call.
func (c *callCommand) sessionID() string { return "call " + c.Session }

// places is where the command itself writes.
func (c *callCommand) places() []string {
	if c.Session == "" {
		return c.ownPlaces()
	}
	return append(c.ownPlaces(), filepath.Dir(c.Session))
}

// asking makes the approvals of a call: asked on the terminal, and kept with the session.
func (c *callCommand) asking(log *slog.Logger) (*approval.Service, error) {
	if c.Session == "" {
		return c.approvals(terminal, nil, log)
	}
	kept, err := newGrantFiles(0)
	if err != nil {
		return nil, err
	}
	approvals, err := c.approvals(terminal, kept, log)
	if err != nil {
		return nil, err
	}
	list, err := kept.all()
	if err != nil {
		return nil, err
	}
	_, noSession := os.Stat(c.Session)
	for _, k := range list {
		switch {
		case k.Session != c.sessionID():
		case noSession != nil:
			kept.Drop(k.ID) // of an earlier session that was kept in a file of this name
		default:
			approvals.Grants().Add(k.Grant)
		}
	}
	return approvals, nil
}

// Run executes the call.
func (c *callCommand) Run(ctx context.Context, s streams) error {
	arguments := []byte(c.Arguments)
	if c.Arguments == "-" {
		var err error
		if arguments, err = io.ReadAll(s.in); err != nil {
			return err
		}
	}
	disk, err := c.provider()
	if err != nil {
		return err
	}
	log := logger(s.err, slog.LevelError)
	provider, _, err := behindWall(ctx, log, disk, c.Wall, c.Approval == string(approval.Ask), c.places()...)
	if err != nil {
		return errors.Join(err, disk.Close())
	}
	defer provider.Close()
	approvals, err := c.asking(log)
	if err != nil {
		return err
	}
	tools, err := c.tools(provider, approvals)
	if err != nil {
		return err
	}
	defer tools.Close()
	if err := c.restore(tools); err != nil {
		return err
	}
	call := tool.Call{ID: "1", Name: c.Tool, Arguments: arguments, Session: &tool.Session{ID: c.sessionID(), Cwd: provider.Cwd()}}
	result := tools.Execute(ctx, call)
	if err := errors.Join(c.save(tools), c.print(s.out, tools, call, result)); err != nil {
		return err
	}
	if result.IsError {
		if result.Error.Info != nil && result.Error.Info.Code == tool.CodeUnknownTool {
			fmt.Fprintln(s.err, "The tools are list, glob, grep, read, write and edit.")
		}
		return toolError{errors.New(result.Error.Message)}
	}
	return nil
}

func (c *callCommand) restore(tools *toolfs.Toolset) error {
	if c.Session == "" || tools.Observe() == nil {
		return nil
	}
	data, err := os.ReadFile(c.Session)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(data) > 0 {
		err = tools.Observe().Restore(c.sessionID(), data)
	}
	if err != nil {
		return fmt.Errorf("cannot use the session file %s: %w", c.Session, err)
	}
	return nil
}

// save replaces the session file whole, readable for nobody else. An unguarded session
// has read nothing that counts, and leaves a file that is there as it is.
func (c *callCommand) save(tools *toolfs.Toolset) (err error) {
	var data []byte
	switch _, missing := os.Stat(c.Session); {
	case c.Session == "":
		return nil
	case tools.Observe() != nil:
		if data, err = tools.Observe().Export(c.sessionID()); err != nil {
			return err
		}
	case missing == nil:
		return nil
	}
	temp, err := os.CreateTemp(filepath.Dir(c.Session), ".toolfs-session-*")
	if err != nil {
		return fmt.Errorf("cannot keep the session: %w", err)
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), c.Session)
	}
	if err != nil {
		os.Remove(temp.Name())
		return fmt.Errorf("cannot keep the session: %w", err)
	}
	return nil
}

func (c *callCommand) print(w io.Writer, tools *toolfs.Toolset, call tool.Call, r tool.Result) error {
	if c.JSON {
		return printJSON(w, whole(tools, call, r))
	}
	for _, block := range r.Content {
		if _, err := fmt.Fprintln(w, block.Text); err != nil {
			return err
		}
	}
	return nil
}

// wholeResult is what --json prints.
type wholeResult struct {
	IsError    bool            `json:"isError"`
	Content    []tool.Block    `json:"content"`
	Error      *tool.Failure   `json:"error,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"`
	Meta       any             `json:"meta,omitempty"`
	CallCard   card.View       `json:"callCard,omitempty"`
	ResultCard card.View       `json:"resultCard,omitempty"`
}

func whole(tools *toolfs.Toolset, call tool.Call, r tool.Result) wholeResult {
	out := wholeResult{IsError: r.IsError, Content: r.Content, Error: r.Error, Meta: r.Meta}
	if r.Value != nil {
		out.Value = tool.AppendJSON(nil, r.Value)
	}
	out.CallCard, out.ResultCard = tools.Cards(call, r)
	return out
}

func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}
