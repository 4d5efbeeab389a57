import pg from 'pg';

/** Runs one statement on its own connection, bypassing the service. */
export async function askPostgres(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
