import { expect, test } from 'vitest';
import { sqlite } from '../databases.ts';
import { startTestServer } from './start.ts';

const PATHS = ['/portal/', '/docs', '/guide/', '/openapi.json', '/livez', '/manage/v1/session', '/api/v2/nothing'];

test.each([
  ['https://users.example.com', 'max-age=31536000'],
  ['http://localhost:8080', null],
])('with the public URL %s, Strict-Transport-Security is %s', async (publicUrl, wanted) => {
  const server = await startTestServer(await sqlite.fresh(), { publicUrl });
  try {
    const answers = [
      ...(await Promise.all(PATHS.map((path) => server.send('GET', path)))),
      await server.post('/api/v2/app/create-user', {}),
    ];
    const found = answers.map(({ headers }) => headers.get('strict-transport-security'));
    expect(found).toEqual(answers.map(() => wanted));
  } finally {
    await server.close();
  }
});
