import type { Operation } from '../operation.ts';
import { jsonRequest, request } from '../request.ts';
import { sendOk } from '../send.ts';
import { credentials } from '../stage.ts';

export const preferencePage: Operation = {
  name: 'preference-page',
  title: 'open a preference page (32 keys)',
  status: 200,
  once: false,
  async prepare(stage) {
    const links = stage.users
      .slice(0, 100)
      .map(({ code }) =>
        jsonRequest('POST', `/api/v2/app/${stage.clientId}/users/${code}/preference-link`, credentials(stage), {}),
      );
    const made = await sendOk(stage.service.port, links);
    return made.map(({ body }) => {
      const { pathname, search } = new URL((JSON.parse(body) as { url: string }).url);
      return request('GET', pathname + search, {});
    });
  },
};
