import { PAGE_BYTES } from '../../page-bytes.ts';

/**
 * Like `takePage`, in a query: the rows of `rows` in this order, up to the one that fills a page, without reading their
 * content.
 */
export const untilFull = (rows: string, order: string, size: string): string => `
  select * from (
    select r.*, coalesce(sum(${size}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from ${rows} r
  ) r where bytes_before < ${PAGE_BYTES}
`;
