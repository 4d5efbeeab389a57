import { GROUP } from '../catalog.ts';
import type { Operation } from '../operation.ts';
import { request } from '../request.ts';

export const listKeys: Operation = {
  name: 'list-keys',
  title: 'list keys (20, in 5 languages)',
  status: 200,
  once: false,
  besideFastify: true,
  prepare: async ({ clientId }) => [
    request('GET', `/api/option_keys?option_group_name=${GROUP}`, { apiKey: clientId }),
  ],
};
