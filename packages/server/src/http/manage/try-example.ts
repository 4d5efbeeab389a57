import { EXAMPLE, EXAMPLE_UIDS } from '../examples.ts';
import { APPLICATION } from './examples.ts';

const { clientId, clientSecret, specialToken, accessToken, secondGroupUid } = EXAMPLE;
const clientUserId = 'innkeeper-try-0198c5a5-3b54-7ea6-8c1d-f57a8b9cadb2';
const userUid = '0198c5a5-3b55-7fb7-9d2e-068b9cadbec3';
const json = { 'content-type': 'application/json' };
const apiKey = { apiKey: clientId };
const bearer = { authorization: `Bearer ${accessToken}` };
const page = { total: 1, offset: 0, limit: 50 };

const step = (
  [operationId, method, path]: [operationId: string, method: string, path: string],
  headers: Record<string, string>,
  body: unknown,
  [status, answer]: [status: number, answer: unknown],
) => ({ operationId, method, path, headers, body, status, durationMs: 2.4, answer });

/** Of the answers, only the beginning of each is shown here. */
export const TRY_EXAMPLE = {
  summary: 'The demo application',
  params: APPLICATION,
  status: 200,
  answer: {
    complete: true,
    steps: [
      step(
        ['createUser', 'POST', '/api/v2/app/create-user'],
        json,
        { clientId, clientSecret, clientUserId, clientUserName: 'Innkeeper trial' },
        [200, { specialToken, clientId, clientUserId, clientUserName: 'Innkeeper trial' }],
      ),
      step(['getAccessToken', 'POST', '/oauth/v2/get-access-token'], json, { clientSecret, specialToken }, [
        200,
        {
          service_user_code: userUid,
          name: 'Innkeeper trial',
          email: '',
          access_token: accessToken,
          token_type: 'Bearer',
        },
      ]),
      step(['listOptionGroups', 'GET', '/api/option_groups?language=en'], apiKey, null, [
        200,
        { items: [{ option_group_uid: secondGroupUid, name: 'notifications', label: 'Notifications' }], ...page },
      ]),
      step(['listOptionKeys', 'GET', '/api/option_keys?option_group_name=notifications&language=en'], apiKey, null, [
        200,
        { items: [{ option_key_uid: EXAMPLE_UIDS.newsletterKey, name: 'newsletter', value_type: 'boolean' }], ...page },
      ]),
      step(
        ['saveUserOption', 'POST', '/api/user_options'],
        { ...apiKey, ...bearer, ...json },
        { option_group_uid: secondGroupUid, option_key_uid: EXAMPLE_UIDS.newsletterKey, value: [true] },
        [201, { user_uid: userUid, group: { name: 'notifications' }, option: { name: 'newsletter', value: true } }],
      ),
      step(['listUserOptions', 'GET', '/api/user_options?effective=true&language=en'], { ...apiKey, ...bearer }, null, [
        200,
        { items: [{ user_uid: userUid, option: { name: 'newsletter', value: true } }], ...page },
      ]),
      step(['deleteUser', 'DELETE', `/api/v2/app/${clientId}/users/${userUid}`], bearer, null, [204, null]),
    ],
  },
};
