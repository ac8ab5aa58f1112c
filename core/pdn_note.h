// pdn_note.h -- what programs say of a move in its comment: score, time, depth, nodes.
#ifndef HUFF_CORE_PDN_NOTE_H
#define HUFF_CORE_PDN_NOTE_H

#include "core/pdn.h"

// Takes "[%eval -0.35]", "[%emt 0:00:01.5]", "d=12" and "n=3456" out of a comment, in place, into the note.
// Returns the size of what is left; what is none of these, or none that can be read, stays.
size_t pdn_note_take(struct pdn_note *, char *comment, size_t size);

#endif
