import type { Operation } from '../operation.ts';
import { request } from '../request.ts';
import { sendOk } from '../send.ts';
import type { Stage } from '../stage.ts';

export const getKey: Operation = {
  name: 'get-key',
  title: 'get one key',
  status: 200,
  once: false,
  besideFastify: true,
  prepare: async (stage) => [getKeyRequest(stage)],
};

export const getKeyUnchanged: Operation = {
  name: 'get-key-304',
  title: 'get one key, If-None-Match',
  status: 304,
  once: false,
  async prepare(stage) {
    const [response] = await sendOk(stage.service.port, [getKeyRequest(stage)]);
    const etag = response?.headers.find(([name]) => name === 'etag')?.[1] ?? '';
    return [getKeyRequest(stage, { 'If-None-Match': etag })];
  },
};

function getKeyRequest({ clientId, keys }: Stage, headers: Record<string, string> = {}): string {
  return request('GET', `/api/option_keys/${keys[0]?.uid}`, { apiKey: clientId, ...headers });
}
