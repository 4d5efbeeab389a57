import { GROUP, KEY_NAMES } from '../catalog.ts';
import type { Operation } from '../operation.ts';
import { jsonRequest } from '../request.ts';
import { credentials, type Stage } from '../stage.ts';

const onePath = `/ofrep/v1/evaluate/flags/${GROUP}.${KEY_NAMES[0]}`;

export const evaluateFlag: Operation = {
  name: 'evaluate-flag',
  title: 'evaluate one flag (OFREP)',
  status: 200,
  once: false,
  prepare: async (stage) => evaluations(stage, `/${GROUP}.${KEY_NAMES[0]}`),
};

export const evaluateFlags: Operation = {
  name: 'evaluate-flags',
  title: 'evaluate all flags of a user (OFREP)',
  status: 200,
  once: false,
  prepare: async (stage) => evaluations(stage, ''),
};

/** Like a page, with its user's token. */
export const evaluateOwnFlag: Operation = {
  name: 'evaluate-own-flag',
  title: 'evaluate one flag with an access token (OFREP)',
  status: 200,
  once: false,
  async prepare(stage) {
    const tokens = await stage.accessTokens(1_000);
    return tokens.map((token) => jsonRequest('POST', onePath, { Authorization: `Bearer ${token}` }, { context: {} }));
  },
};

/** Like a back end: for a thousand users in turn. */
function evaluations(stage: Stage, path: string): string[] {
  return stage.users
    .slice(0, 1_000)
    .map(({ code }) =>
      jsonRequest('POST', `/ofrep/v1/evaluate/flags${path}`, credentials(stage), { context: { targetingKey: code } }),
    );
}
