import type { Operation } from '../operation.ts';
import { jsonRequest } from '../request.ts';

export const createUser: Operation = {
  name: 'create-user',
  title: 'create-user',
  status: 200,
  once: true,
  prepare: async ({ clientId, clientSecret, name }, count) =>
    Array.from({ length: count }, () =>
      jsonRequest(
        'POST',
        '/api/v2/app/create-user',
        {},
        { clientId, clientSecret, clientUserId: name(), clientUserName: 'Ada Lovelace' },
      ),
    ),
};
