import type { Operation } from '../operation.ts';
import { request } from '../request.ts';

export const listGroups: Operation = {
  name: 'list-groups',
  title: 'list groups (5, in 5 languages)',
  status: 200,
  once: false,
  besideFastify: true,
  prepare: async ({ clientId }) => [request('GET', '/api/option_groups', { apiKey: clientId })],
};
