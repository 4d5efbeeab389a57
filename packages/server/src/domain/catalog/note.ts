export const MAX_NOTE = 1000;

/** Why a revision is published, in the publisher's words. A blank note counts as none. */
export function readNote(given = ''): { note: string | undefined } | { problem: string } {
  const note = given.trim();
  if (note.length > MAX_NOTE) return { problem: `must have at most ${MAX_NOTE} characters` };
  if (note.includes('\u0000') || !note.isWellFormed()) return { problem: 'contains characters that are not text' };
  return { note: note === '' ? undefined : note };
}
