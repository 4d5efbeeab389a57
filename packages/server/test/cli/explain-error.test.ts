import { expect, test } from 'vitest';
import { explainError } from '../../src/cli/explain-error.ts';

const fileError = (code: string): Error => Object.assign(new Error(code), { code, path: '/data/innkeeper.db.secret' });

test.each([
  ['ENOSPC', 'the disk is full', 'Free space on that disk, then try again.'],
  ['EROFS', 'the file system is read-only', 'Mount it read-write, or set INNKEEPER_DATABASE_URL to another place.'],
  ['EACCES', 'permission denied', 'Check the path in INNKEEPER_DATABASE_URL and its permissions.'],
])('a file that cannot be created (%s) comes with a suggested fix', (code, problem, remedy) => {
  expect(explainError(fileError(code))).toMatchObject({ message: `/data/innkeeper.db.secret: ${problem}`, remedy });
});

test('too few open files is not blamed on the address', () => {
  const error = Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'listen', address: '::1', port: 80 });
  expect(explainError(error)).toMatchObject({
    message: 'the limit of open files and connections is reached (EMFILE).',
    remedy: expect.stringContaining('at least 1024'),
  });
});
