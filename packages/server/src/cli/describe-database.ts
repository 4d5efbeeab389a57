import { relative } from 'node:path';

/** Which database is meant, without the password its address may hold. */
export function describeDatabase(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) {
    const path = databaseUrl.slice('sqlite:'.length);
    const fromHere = relative(process.cwd(), path);
    return `SQLite at ${fromHere.startsWith('..') ? path : fromHere}`;
  }
  const url = URL.parse(databaseUrl);
  return url?.hostname ? `PostgreSQL at ${url.host}${url.pathname}` : 'PostgreSQL';
}
