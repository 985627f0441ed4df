package mcpserver

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/toolfs/toolfs/tool"
)

// sealed is what a request state says: to which question it belongs, of which call, and
// how long. Only this process can make or read one.
type sealed struct {
	Request   string    `json:"request"` // the id of the approval request, which is used once
	Session   string    `json:"session"`
	Tool      string    `json:"tool"`
	Arguments []byte    `json:"arguments"` // digest of their text
	Shown     string    `json:"shown"`
	Expires   time.Time `json:"expires"`
}

// sealer encrypts states with a key that never leaves it.
type sealer struct{ aead cipher.AEAD }

// newSealer makes one with a new key. Neither step can fail with a key of this size.
func newSealer() sealer {
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return sealer{aead}
}

// stateKind keeps what is sealed for something else, one day, from being a state.
const stateKind = "toolfs approval state 1"

func (s sealer) close(state sealed) (string, error) {
	text, err := json.Marshal(state)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(stateKind))), nil
}

func (s sealer) open(text string) (state sealed, ok bool) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return sealed{}, false
	}
	plain, err := s.aead.Open(nil, nil, data, []byte(stateKind))
	if err != nil {
		return sealed{}, false
	}
	err = json.Unmarshal(plain, &state)
	return state, err == nil
}

// sealedFor gives a state's part that must be the same when the call comes again.
func sealedFor(session string, c tool.Call) sealed {
	digest := sha256.Sum256(c.Arguments)
	return sealed{Session: session, Tool: c.Name, Arguments: digest[:]}
}

// The codes of answers that are not accepted, under the name ApprovalError.
const (
	// CodeApprovalInvalid: the request state is none of this server's, was changed, or
	// belongs to another call.
	CodeApprovalInvalid = "APPROVAL_INVALID"
	// CodeApprovalExpired: the answer came too late.
	CodeApprovalExpired = "APPROVAL_EXPIRED"
	// CodeApprovalUsed: the question was answered already, or dropped for newer ones.
	CodeApprovalUsed = "APPROVAL_USED"
)

// answerError is the failure of a call with an answer that is not accepted.
type answerError struct{ code, why string }

func (e *answerError) Error() string {
	return "the answer to a request for approval is not accepted: " + e.why + ". Nothing was changed; make the call again without it to ask anew"
}

// ErrorInfo implements tool.Coded.
func (e *answerError) ErrorInfo() (name, code string) { return "ApprovalError", e.code }
