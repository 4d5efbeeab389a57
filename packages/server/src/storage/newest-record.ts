/** One row, `newest`: the same in both databases. Each maximum is read from an index or a small table. */
export const NEWEST_RECORD = `
  select max(at) as newest from (
    select max(at) as at from audit_log
    union all select max(at) from activity where step = 'hour'
    union all select max(created_at) from signing_keys
    union all select max(at) from change_log
  ) as records
`;
