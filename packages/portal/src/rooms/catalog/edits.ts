import type { InputOf } from '@innkeeper/client/manage';
import { api } from '../../api/client.ts';
import type { Tree } from '../../draft/queries.ts';
import type { Edit } from '../../draft/use-edit.ts';
import type { KeyPatch } from './key-form.ts';

type NewGroup = InputOf<`${typeof CATALOG}/groups`, 'post'>['body'];

/** The edits of this room, all made in the draft. */

const CATALOG = '/manage/v1/applications/{clientId}/catalog';
const query = { draft: true } as const;

export const editsOf = (clientId: string) => ({
  addGroup:
    (body: NewGroup): Edit<{ groupUid: string }> =>
    (ifMatch) =>
      api.post(`${CATALOG}/groups`, { path: { clientId }, query, ifMatch, body }),
  changeGroup:
    (groupUid: string, body: Record<string, unknown>): Edit<unknown> =>
    (ifMatch) =>
      api.patch(`${CATALOG}/groups/{groupUid}`, { path: { clientId, groupUid }, query, ifMatch, body }),
  archiveGroup:
    (groupUid: string): Edit<unknown> =>
    (ifMatch) =>
      api.delete(`${CATALOG}/groups/{groupUid}`, { path: { clientId, groupUid }, query, ifMatch }),
  addKey:
    (groupUid: string, body: KeyPatch & { name: string; type: 'boolean' }): Edit<{ keyUid: string }> =>
    (ifMatch) =>
      api.post(`${CATALOG}/groups/{groupUid}/keys`, { path: { clientId, groupUid }, query, ifMatch, body }),
  changeKey:
    (keyUid: string, body: KeyPatch): Edit<unknown> =>
    (ifMatch) =>
      api.patch(`${CATALOG}/keys/{keyUid}`, { path: { clientId, keyUid }, query, ifMatch, body }),
  archiveKey:
    (keyUid: string): Edit<unknown> =>
    (ifMatch) =>
      api.delete(`${CATALOG}/keys/{keyUid}`, { path: { clientId, keyUid }, query, ifMatch }),
  setLanguages:
    (languages: Tree['languages']): Edit<unknown> =>
    (ifMatch) =>
      api.put(`${CATALOG}/languages`, { path: { clientId }, query, ifMatch, body: { languages } }),
});
