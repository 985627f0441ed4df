//go:build linux

package toolfs_test

// decisionTable is the only set of differences that is allowed: by the decision, the
// vectors, and the place in their outcome. Both are patterns with * for anything; the
// place begins after "steps.N.". What we give instead is pinned in ours.json.
//
// The decisions:
//
//	V-01  a byte order mark is hidden from the model and kept on disk
//	V-02  an edit leaves every line ending that it does not replace
//	V-03  texts that differ in nothing but their line endings are the same
//	V-04  overlapping occurrences count, each
//	V-05  a version is of the content: a touch is no change
//	V-07  a new file has the usual mode; a changed file keeps its mode, owner and name,
//	      and must itself be writable
//	V-08  paths are resolved component by component, as the kernel does; a write
//	      through a dangling link makes what the link names; "f/" is no file
//	V-09  every failure of the system has a code, and a message without inner paths
//	V-10  a line is cut between characters, and whatever is cut is announced
//	V-11  a read always gives at least one line
//	V-12  a read that finds no text is still a read
//	V-13  a bad child does not fail the listing, and names that are no UTF-8 keep
//	      their bytes and types
//	V-14  no path or name can pass for something else in what the model sees
//	V-15  an identical overwrite publishes nothing
//	V-17  a misspelt key is named
//	V-18  a person is asked last, and never about what fails anyway
//	V-21  glob gives the newest file first, and searches run beside reads
//	V-28  a working directory that does not exist is named as such, and never made
//	V-29  a card points only at a line that can exist
//	V-30  text that is no Unicode is refused instead of changed
//	V-31  UTF-16 with a byte order mark is text; an overwrite that cannot keep how a file
//	      is stored says so
//	V-32  nobody is asked where the standing mode suffices
//	V-33  one base for the relative paths of all tools, in the session's own spelling
//	V-34  a model's justification is cleaned before a person sees it
//	V-40  a glob is relative to where the search starts, and "./" says no more than that
//	V-41  what is wrong with a pattern is said in words that help, and nothing is read in
//	      two ways
//	V-42  a search that cannot begin says so without the search program's words
//	V-43  an answer says what was not looked into
//	C-02  the policy is called fs-policy
//	C-19  entries come by case-folded code points, then by code points
var decisionTable = []rule{
	{"V-01", "write.create.bom", "value.after", "", ""},
	{"V-01", "write.update.bom_old", "disk.changed.f.*", "", ""},
	{"V-01", "write.update.bom_old", "final_tree.f.*", "", ""},
	{"V-01", "write.update.bom_new", "value.after", "", ""},
	{"V-01", "write.update.bom_new", "*.diffs.0.newText", "", ""},
	{"V-01", "edit.bom.*", "disk.changed.f.*", "", ""},
	{"V-01", "edit.bom.*", "final_tree.f.*", "", ""},

	{"V-02", "edit.eol.*", "disk.changed.f.*", "", ""},
	{"V-02", "edit.eol.*", "final_tree.f.*", "", ""},

	{"V-03", "edit.arg.crlf_only_difference", "*", "", ""},
	{"V-03", "edit.card.same_text_after_normalization", "*", "", ""},

	{"V-04", "edit.match.overlapping_counts_once", "*", "", ""},
	{"V-04", "edit.match.overlap_aba", "*", "", ""},
	{"V-04", "edit.match.overlapping_even", "error.message", "*matched 2 times*", "*matched 3 times*"},

	{"V-05", "policy.stale.same_bytes_rewrite", "*", "", ""},
	{"V-05", "policy.stale.touch", "*", "", ""},
	{"V-05", "policy.stale.chmod", "*", "", ""},
	{"V-05", "policy.stale.hardlink_added", "*", "", ""},
	{"V-05", "policy.stale.rename_over_same_content", "*", "", ""},
	{"V-05", "policy.stale.rename_away_and_back", "*", "", ""},
	{"V-05", "policy.deleted.recreated_externally", "*", "", ""},
	{"V-05", "policy.identity.hardlink_edit_makes_other_stale", "*", "", ""},
	{"V-05", "policy.identity.parent_dir_swapped", "*", "", ""},

	{"V-08", "list.path.missing_then_dotdot", "outcome", "", ""},
	{"V-08", "*.target.symlink_dotdot_is_lexical", "*", "", ""},
	{"V-08", "read.target.trailing_slash_on_file", "*", "", ""},
	{"V-08", "read.target.path_forms", "outcome", "", ""},
	{"V-08", "read.target.cwd_missing", "outcome", "", ""},
	{"V-08", "write.create.dotdot_missing_prefix", "*", "", ""},
	{"V-08", "write.create.trailing_slash", "*", "", ""},
	{"V-08", "write.create.parent_is_dangling_symlink*", "*", "", ""},
	{"V-08", "write.create.cwd_symlink", "outcome", "", ""},
	{"V-08", "write.create.cwd_symlink", "disk", "", ""},
	{"V-08", "write.create.cwd_symlink", "final_tree.h", "", ""},
	{"V-08", "write.update.dangling_symlink*", "*", "", ""},
	{"V-08", "write.no_residue_after_failure", "*", "", ""},
	{"V-08", "edit.target.trailing_slash", "*", "", ""},
	{"V-08", "policy.absent.dangling_symlink", "*", "", ""},
	{"V-08", "policy.identity.path_spellings_share", "*", "", ""},
	{"V-08", "sandbox.mode.workspace-write.write_outside", "outcome", "*/new3b*", "*FS_SANDBOX_DENIED*"},
	{"V-08", "sandbox.mode.workspace-write.write_outside", "disk", "*new3b*", "null"},
	{"V-08", "sandbox.mode.workspace-write.write_outside", "final_tree.new3b", "", "absent"},
	{"V-08", "sandbox.mode.danger-full-access.write_outside", "*", "*new3b*", "*new3b*"},
	{"V-08", "sandbox.mode.danger-full-access.write_outside", "*new3b", "", ""},
	{"V-08", "sandbox.mode.workspace-write.symlink_escape", "outcome", "*/dang</path>*", "*FS_SANDBOX_DENIED*"},
	{"V-08", "sandbox.mode.workspace-write.symlink_escape", "disk", `*"dang"*`, "null"},
	{"V-08", "sandbox.mode.*.symlink_escape", "*dang*", "", ""},
	{"V-08", "sandbox.mode.danger-full-access.symlink_escape", "*{{out}}/created", "absent", ""},

	{"V-07", "*", "disk.changed.*.mode", `"0600"`, `"0644"`},
	{"V-07", "*", "final_tree.*.mode", `"0600"`, `"0644"`},
	{"V-07", "write.update.mode_special_*", "*.mode", "", ""},
	{"V-07", "edit.target.mode_*", "*.mode", "", ""},
	{"V-07", "*.owner_becomes_writer", "*.owner", "absent", `"65534:65534"`},
	{"V-07", "*", "meta.linkCount", "absent", "2"},
	{"V-07", "*", "presentResult.linkCount", "absent", "2"},
	{"V-07", "write.create.name_255_fails", "*", "", ""},
	{"V-07", "edit.target.long_name_255", "*", "", ""},
	{"V-07", "write.perm.*_is_replaced", "*", "", ""},
	{"V-07", "write.perm.foreign_file_in_own_dir", "*", "", ""},
	{"V-07", "edit.perm.readonly_file", "*", "", ""},

	{"V-09", "#errno-message", "error.message", `"E*: *, *`, `"cannot *`},
	{"V-09", "#errno-message", "error.name", "null", `"FsError"`},
	{"V-09", "#errno-message", "error.code", "null", `"FS_*"`},
	{"V-09", "#node-message", "error.message", `"The argument 'path' must be *`, `"cannot *`},
	{"V-09", "#node-message", "error.name", "null", `"FsError"`},
	{"V-09", "#node-message", "error.code", "null", `"FS_*"`},

	{"V-09", "write.arg.non_string_justification_without_sandbox", "error.message", "", `"invalid justification: *`},

	{"V-09", "read.target.path_4096", "*", `*ENAMETOOLONG: *`, `*cannot read *`},

	{"V-10", "read.trunc.cr_at_2001_swallows_tail", "*", "", ""},
	{"V-10", "read.trunc.small_cap_cr", "*", "", ""},
	{"V-10", "read.trunc.cap_1", "*", "", ""},
	{"V-10", "read.trunc.astral_split*", "*", "", ""},
	{"V-10", "read.bytes.lone_surrogate_counts_3*", "*", "", ""},

	{"V-11", "read.bytes.cap_3", "*", "", ""},
	{"V-11", "read.bytes.first_line_too_big", "*", "", ""},
	{"V-11", "read.bytes.single_line_too_big", "*", "", ""},
	{"V-11", "read.bytes.later_small_line_not_packed", "*", "", ""},
	{"V-11", "read.bytes.capped_offset_beyond_eof", "*", "", ""},
	{"V-11", "read.bytes.counts_truncation_suffix_34", "*", "", ""},
	{"V-11", "policy.byte_capped_read_authorizes", "*", "", ""},

	{"V-12", "policy.binary_read_does_not_authorize", "*", "", ""},
	{"V-12", "policy.invalid_utf8_read_does_not_authorize", "*", "", ""},
	{"V-12", "policy.stale.became_binary", "*", "", ""},

	{"V-13", "list.kinds.*_child*", "outcome", "", ""},
	{"V-13", "list.name.non_utf8*", "*", "", ""},
	{"V-13", "list.perm.child_symlink_into_unsearchable", "outcome", "", ""},

	{"V-13", "list.perm.dir_r_only", "outcome", "", ""},

	{"V-14", "list.name.*", "content.0.text", "", `*\"*`},
	{"V-14", "read.name.*", "content.0.text", "", `"<path>\"*`},
	{"V-14", "read.name.newline", "presentResult", "null", ""},
	{"V-14", "read.lang.special_names", "content.0.text", "", `"<path>\"*`},
	{"V-14", "read.lang.special_names", "presentResult", "null", ""},
	{"V-14", "read.card.declined_for_newline_path", "content.0.text", "", `"<path>\"*`},
	{"V-14", "read.card.declined_for_newline_path", "presentResult", "null", ""},
	{"V-14", "write.create.hidden_and_odd_names", "content.0.text", "", `"<path>\"*`},
	{"V-14", "edit.target.odd_names", "content.0.text", "", `"The file \"*`},
	{"V-14", "list.arg.path_zwsp", "error.message", "", `*\\u200b*`},
	{"V-14", "read.arg.file_path_zwsp_is_not_blank", "error.message", "", `*\\u200b*`},
	{"V-14", "read.arg.file_path_blank_code_points", "error.message", `"cannot read *`, `"cannot read *\\u*`},

	{"V-15", "write.create.nopolicy", "disk", "", "null"},
	{"V-15", "write.update.identical", "disk", "", "null"},
	{"V-15", "write.update.empty_to_empty", "disk", "", "null"},
	{"V-15", "write.basis.one", "disk", "", "null"},

	{"V-17", "read.arg.file_path_camel", "error.message", "", "*did you mean*"},

	{"V-18", "sandbox.escalate.asks_before_target_checks", "approval_requests", "", "absent"},
	{"V-18", "sandbox.escalate.asks_before_target_checks", "session_events", "", "absent"},
	{"V-18", "sandbox.escalate.granted_mode_still_insufficient", "approval_requests", "", "absent"},
	{"V-18", "sandbox.escalate.granted_mode_still_insufficient", "session_events", "", "absent"},
	{"V-21", "glob_grep.*", "scheduling", `"exclusive"`, `"parallel"`},
	{"V-21", "glob_grep.glob.*", "content.0.text", "", ""},
	{"V-21", "glob_grep.glob.*", "value.paths.*", "", ""},
	{"V-21", "glob_grep.glob.*", "meta.paths.*", "", ""},
	{"V-21", "glob_grep.glob.*", "presentResult.paths.*", "", ""},

	{"V-28", "*.cwd_missing", "error.message", "", `*the working directory does not exist*`},
	{"V-28", "write.create.cwd_missing", "*", "", ""},
	{"V-28", "sandbox.cwd_missing", "*", "", ""},

	{"V-29", "*", "presentCall.locations.0.line", "", "absent"},

	{"V-30", "read.name.lone_surrogate_in_path", "*", "", ""},
	{"V-30", "write.create.lone_surrogate", "*", "", ""},
	{"V-30", "edit.match.lone_surrogate_*", "*", "", ""},

	{"V-31", "read.encoding.utf16*_bom", "outcome", "", ""},
	{"V-31", "write.update.*_old", "meta.encoding", "absent", `"utf-8"`},
	{"V-31", "write.update.*_old", "meta.encodingChanged", "absent", "true"},
	{"V-31", "write.update.*_old", "presentResult.encoding", "absent", `"utf-8"`},
	{"V-31", "write.update.*_old", "presentResult.encodingChanged", "absent", "true"},

	{"V-32", "sandbox.escalate.asks_even_when_not_denied", "approval_requests", "", "absent"},
	{"V-32", "sandbox.escalate.asks_even_when_not_denied", "session_events", "", "absent"},

	{"V-33", "sandbox.cwd_symlink", "content.0.text", "*{{ws}}/*", "*{{out}}/w/*"},
	{"V-33", "sandbox.cwd_symlink", "value.path", `"{{ws}}/*`, `"{{out}}/w/*`},

	{"V-34", "sandbox.escalate.unicode_justification", "*.reason", "", ""},

	{"V-40", "glob_grep.glob.pattern_.%2Fsrc%2F*.ts", "*", "", "*src/alpha.ts*"},
	{"V-40", "glob_grep.glob.pattern_.%2Fsrc%2F*.ts", "*.total", "0", "2"},

	{"V-41", "glob_grep.*", "error.message", `*rejected by ripgrep: *`, `*pattern rejected: *`},

	{"V-42", "glob_grep.*.path_errors", "error.message", `* (exit 2): *`, `*cannot search *`},

	{"V-43", "glob_grep.grep.*", "content.0.text", `"No matches found"`, `"No matches found*(Not searched: *`},

	{"C-02", "schema.*", "composition.sections.*.text", "*fs-observation-policy*", "*fs-policy*"},
	{"C-02", "schema.*", "composition.rendered_prompt", "*fs-observation-policy*", "*fs-policy*"},

	{"C-19", "list.order.*", "content.0.text", "", ""},
	{"C-19", "list.order.*", "value.entries", "", ""},
}
