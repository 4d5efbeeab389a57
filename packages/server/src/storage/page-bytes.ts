import type { HistoryPlace } from './port.ts';

/** What a page of rows holds at most, beside the row that fills it: rows differ in size by a factor of a thousand. */
const PAGE_BYTES = 1_048_576;

/** Rows that a walk reads at a time, if they are small. */
export const WALK_ROWS = 500;

/** Where a walk through a history begins: before everything there can be. */
export const LAST_PLACE: HistoryPlace = { selectionId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', eventNo: 2 ** 31 - 1 };

/** The first rows, up to the one that fills a page. Rows beyond are not read. */
export function takePage<Row>(rows: Iterable<Row>, sizeOf: (row: Row) => number): Row[] {
  const page: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    page.push(row);
    bytes += sizeOf(row);
    if (bytes >= PAGE_BYTES) break;
  }
  return page;
}

/** The same in a query: the rows of `rows`, in this order, up to the one that fills a page. What they hold is not read for it. */
export const untilFull = (rows: string, order: string, size: string): string => `
  select * from (
    select r.*, coalesce(sum(${size}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from ${rows} r
  ) r where bytes_before < ${PAGE_BYTES}
`;
