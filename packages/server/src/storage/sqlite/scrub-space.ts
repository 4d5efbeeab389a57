/** VACUUM writes a copy, then writes the copy into the log. */
const COPIES = 2;
const SPARE_BYTES = 16 * 1024 * 1024;

/** The free space that a scrub of a database with that many bytes requires. */
export function bytesForScrub(bytes: number): number {
  return COPIES * bytes + SPARE_BYTES;
}
