/**
 * JSON as it is sent (wire-text.ts), and what its ETag is made of: the same, but each part that many users share stands there
 * as that part's own tag. So it differs whenever the bytes do, and a tenth of them is to be hashed.
 */
export type Written = { bytes: string; mark: string };

export function enclose(before: string, { bytes, mark }: Written, after: string): Written {
  return { bytes: before + bytes + after, mark: before + mark + after };
}

/** With commas between. */
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
