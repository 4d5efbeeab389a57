import type { Operation } from '../operation.ts';
import { request } from '../request.ts';
import { credentials } from '../stage.ts';

export const introspect: Operation = {
  name: 'introspect',
  title: 'introspect a token',
  status: 200,
  once: false,
  async prepare(stage) {
    const headers = { ...credentials(stage), 'Content-Type': 'application/x-www-form-urlencoded' };
    const tokens = await stage.accessTokens(1_000);
    return tokens.map((token) => request('POST', '/oauth/v2/introspect', headers, `token=${token}`));
  },
};
