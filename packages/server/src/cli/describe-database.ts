import { relative } from 'node:path';

/** The database, without the password that its URL may contain. */
export function describeDatabase(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) {
    const path = databaseUrl.slice('sqlite:'.length);
    const fromHere = relative(process.cwd(), path);
    return `SQLite at ${fromHere.startsWith('..') ? path : fromHere}`;
  }
  const url = URL.parse(databaseUrl);
  return url?.hostname ? `PostgreSQL at ${url.host}${url.pathname}` : 'PostgreSQL';
}
