package tool

// Mode is how a call may run beside others. Contract section 4.
type Mode uint8

// The modes. Whatever is not known to be safe is Exclusive.
const (
	Exclusive Mode = iota
	Parallel
)

// String is "exclusive" or "parallel".
func (m Mode) String() string {
	if m == Parallel {
		return "parallel"
	}
	return "exclusive"
}

// Mode classifies a call: Parallel if its tool is visible, its arguments are valid, and
// the tool says that with these it may overlap others. A panic in the tool's answer
// means Exclusive.
func (r *Registry) Mode(call Call) Mode {
	in := decodeInput(call.Arguments)
	return r.mode(&call, &in)
}

func (r *Registry) mode(call *Call, in *input) (mode Mode) {
	if in.err != nil {
		return Exclusive
	}
	def, ok := r.Get(call.Name, call.Scope)
	if !ok || def.ConcurrencySafe == nil || def.Parameters.ValidateArgs(in.args) != nil {
		return Exclusive
	}
	var err error
	defer func() {
		if err != nil {
			mode = Exclusive
		}
	}()
	defer r.recovered(&err)
	if def.ConcurrencySafe(in.args) {
		return Parallel
	}
	return Exclusive
}
