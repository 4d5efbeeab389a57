import type { Operation } from '../operation.ts';
import { jsonRequest } from '../request.ts';
import type { Stage, User } from '../stage.ts';

export const save: Operation = {
  name: 'save',
  title: 'save a selection, new',
  status: 201,
  once: true,
  async prepare(stage, count) {
    // Keys for which the imported users have no selection yet.
    const keys = stage.keys.slice(10);
    const users = await stage.importUsers(Math.ceil(count / keys.length));
    return users.flatMap((user) => keys.map((key) => saveRequest(stage, user, key, 0))).slice(0, count);
  },
};

export const saveReplace: Operation = {
  name: 'save-replace',
  title: 'save a selection, another value',
  status: 200,
  once: false,
  // Each user first with one value, then with the other, so that every save is a change.
  prepare: async (stage) =>
    [1, 0].flatMap((choice) =>
      stage.users.map((user, index) => saveRequest(stage, user, stage.keys[index % stage.selected], choice)),
    ),
};

export const saveMany: Operation = {
  name: 'save-many',
  title: 'save 10 selections at once',
  status: 200,
  once: false,
  prepare: async (stage) =>
    [1, 0].flatMap((choice) =>
      stage.users.map((user) => {
        const options = stage.keys
          .slice(0, stage.selected)
          .map((key) => ({ option_group_uid: stage.groupUid, option_key_uid: key.uid, value: [key.values[choice]] }));
        return jsonRequest('PUT', '/api/user_options', { apiKey: stage.clientId }, { user_uid: user.code, options });
      }),
    ),
};

export function saveRequest(
  { clientId, groupUid }: Stage,
  user: User,
  key: Stage['keys'][number] | undefined,
  choice: number,
) {
  return jsonRequest(
    'POST',
    '/api/user_options',
    { apiKey: clientId },
    { user_uid: user.code, option_group_uid: groupUid, option_key_uid: key?.uid, value: [key?.values[choice]] },
  );
}
