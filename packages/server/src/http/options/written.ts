/**
 * JSON as sent (wire-text.ts), and a shorter text to derive its ETag from: the same, but with each part that many users
 * share replaced by that part's own tag. It differs whenever the bytes do, and is a tenth as long to hash.
 */
export type Written = { bytes: string; mark: string };

export function enclose(before: string, { bytes, mark }: Written, after: string): Written {
  return { bytes: before + bytes + after, mark: before + mark + after };
}

/** Joined by commas. */
export function joinWritten(parts: readonly Written[]): Written {
  let bytes = '';
  let mark = '';
  for (const part of parts) {
    const comma = bytes === '' ? '' : ',';
    bytes += comma + part.bytes;
    mark += comma + part.mark;
  }
  return { bytes, mark };
}
