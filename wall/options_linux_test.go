package wall

import (
	"net"
	"reflect"
	"testing"

	"github.com/toolfs/toolfs/localfs"
)

// TestOptionsTravelWhole fails when an option is added that a worker would not get.
func TestOptionsTravelWhole(t *testing.T) {
	sent := setup{Roots: 1, Writable: 2}
	fill(t, reflect.ValueOf(&sent.Options).Elem(), "Options")
	ours, theirs, err := socketpair()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	conn, err := net.FileConn(theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := newLink(conn).send(&sent, nil); err != nil {
		t.Fatal(err)
	}
	var got setup
	if err := newLink(ours).receive(&got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, sent) {
		t.Errorf("sent %+v, got %+v", sent, got)
	}
}

// fill gives every field a value that is not its zero.
func fill(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("\xff" + name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), name)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	default:
		t.Errorf("%s is a %s, of which it is not known whether a worker gets it", name, v.Kind())
	}
}

// TestOptionsInForce makes the same fence elsewhere.
func TestOptionsInForce(t *testing.T) {
	ws, outside := places(t)
	t.Chdir(ws)
	first, err := localfs.Host(localfs.Options{StateDir: "state", Sandbox: &localfs.Sandbox{
		Mode: "workspace-write", WritableRoots: []string{"../ws-evil"}, Protect: []string{"p"}, NoTemp: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	t.Chdir("/")
	second, err := localfs.Host(first.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if a, b := first.Options(), second.Options(); !reflect.DeepEqual(a, b) || a.Sandbox.WorkspaceRoot != ws || a.Sandbox.WritableRoots[0] != outside || a.StateDir[0] != '/' {
		t.Errorf("the options are %+v %+v, elsewhere %+v %+v", a, a.Sandbox, b, b.Sandbox)
	}
}
