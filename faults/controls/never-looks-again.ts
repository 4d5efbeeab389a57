/** Loaded into a service's runtime: what it once learned about a database file by its path never changes. */
const source = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { statSync } = fs;
  const known = new Map();
  fs.statSync = (path, options) => {
    if (!/[.]db(-wal|-shm)?$/.test(path)) return statSync(path, options);
    const key = path + Boolean(options?.bigint);
    if (!known.has(key)) known.set(key, statSync(path, options));
    return known.get(key);
  };
  syncBuiltinESMExports();
`;

export const NEVER_LOOKS_AGAIN = ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
