import type { Operation } from '../operation.ts';
import { request } from '../request.ts';
import { credentials } from '../stage.ts';

export const deleteUser: Operation = {
  name: 'delete-user',
  title: 'delete a user (with 3 selections)',
  status: 204,
  once: true,
  async prepare(stage, count) {
    const users = await stage.importUsers(count);
    return users.map(({ code }) =>
      request('DELETE', `/api/v2/app/${stage.clientId}/users/${code}`, credentials(stage)),
    );
  },
};
