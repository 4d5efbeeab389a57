/** UTC, `YYYY-MM-DD HH:MM:SS` (SPEC.md 2.4). */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}
