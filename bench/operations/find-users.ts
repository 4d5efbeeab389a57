import type { Operation } from '../operation.ts';
import { request } from '../request.ts';
import { sendOk } from '../send.ts';
import { credentials } from '../stage.ts';
import { saveRequest } from './save.ts';

/** How many users chose differently from the rest. */
const FEW = 200;

export const findUsers: Operation = {
  name: 'find-users',
  title: 'first 50 users who chose what few have (`where`)',
  status: 200,
  once: false,
  async prepare(stage) {
    const { clientId, service, users } = stage;
    const [, key] = stage.keys;
    const step = Math.ceil(users.length / FEW);
    const some = users.filter((_, index) => index % step === 0);
    await sendOk(
      service.port,
      some.map((user) => saveRequest(stage, user, key, 1)),
    );
    const where = encodeURIComponent(`${key?.uid}=${key?.values[1]}`);
    return [request('GET', `/api/v2/app/${clientId}/users?where=${where}&limit=50`, credentials(stage))];
  },
};
