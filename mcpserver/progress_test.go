package mcpserver_test

import (
	"context"
	"iter"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/mcpserver"
	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

// held lists nothing until it is let go.
type held struct {
	vfs.Provider
	release chan struct{}
}

func (h held) ReadDir(ctx context.Context, t vfs.Target) iter.Seq2[vfs.Entry, error] {
	<-h.release
	return h.Provider.ReadDir(ctx, t)
}

// A client that gave a token is told how a long search gets on.
func TestProgressOfALongSearch(t *testing.T) {
	release, once := make(chan struct{}), sync.Once{}
	set, err := toolfs.New(toolfs.Options{Provider: held{memfs.New(memfs.Options{}), release}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	server, err := mcpserver.New(mcpserver.Options{Toolset: set, Cwd: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	here, there := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(t.Context(), there) }()
	var told []*mcp.ProgressNotificationParams
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			once.Do(func() {
				told = append(told, r.Params)
				close(release)
			})
		}})
	session, err := client.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	params := &mcp.CallToolParams{Name: "grep", Arguments: map[string]any{"pattern": "x"}}
	params.SetProgressToken("p1")
	r, err := session.CallTool(t.Context(), params)
	if err != nil || r.IsError {
		t.Fatal(r, err)
	}
	if len(told) != 1 || told[0].ProgressToken != "p1" || told[0].Progress < 1 || told[0].Total != 30 || told[0].Message == "" {
		t.Errorf("told %+v", told)
	}
	session.Close()
	<-ended
}
