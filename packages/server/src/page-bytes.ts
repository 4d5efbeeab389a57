/** Size limit of a page of rows, not counting the row that exceeds it: row sizes differ by a factor of a thousand. */
export const PAGE_BYTES = 1_048_576;

/** The first rows, including the one that fills the page. Does not read further rows. */
export function takePage<Row>(rows: Iterable<Row>, sizeOf: (row: Row) => number, most = PAGE_BYTES): Row[] {
  const page: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    page.push(row);
    bytes += sizeOf(row);
    if (bytes >= most) break;
  }
  return page;
}
