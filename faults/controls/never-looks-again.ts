/** For the runtime that a service is started with: what it once learned of a database file by its path stays so for good. */
const source = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { statSync } = fs;
  const known = new Map();
  fs.statSync = (path, options) => {
    if (!options?.bigint) return statSync(path, options);
    if (!known.has(path)) known.set(path, statSync(path, options));
    return known.get(path);
  };
  syncBuiltinESMExports();
`;

export const NEVER_LOOKS_AGAIN = ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
