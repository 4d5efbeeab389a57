import pg from 'pg';

/** One statement on a connection of its own, behind the back of the service. */
export async function askPostgres(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
