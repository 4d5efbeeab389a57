import type { Operation } from '../operation.ts';
import { jsonRequest } from '../request.ts';

export const getAccessToken: Operation = {
  name: 'get-access-token',
  title: 'get-access-token',
  status: 200,
  once: true,
  async prepare({ clientSecret, specialTokens }, count) {
    const tokens = await specialTokens(count);
    return tokens.map((specialToken) =>
      jsonRequest('POST', '/oauth/v2/get-access-token', {}, { clientSecret, specialToken }),
    );
  },
};
