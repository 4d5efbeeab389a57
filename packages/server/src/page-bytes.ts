/** What a page of rows holds at most, beside the row that fills it: rows differ in size by a factor of a thousand. */
export const PAGE_BYTES = 1_048_576;

/** The first rows, up to the one that fills a page. Rows beyond are not read. */
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
