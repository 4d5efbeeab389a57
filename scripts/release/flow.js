// The example flow against a running service: a user, a token, a selection; then the pages for people.
import assert from 'node:assert/strict';

export const CATALOG = `languages:
  - { name: English, tag: en, default: true }
  - { name: Español, tag: es }
groups:
  - name: notifications
    keys:
      - name: colour
        type: string
        values:
          - { value: blue, translations: { English: Blue, Español: Azul } }
          - { value: red, translations: { English: Red, Español: Rojo } }
`;

const PAGES = ['/portal', '/guide/', '/guide/install', '/docs', '/docs/swagger-ui.css', '/openapi.json', '/llms.txt'];

/**
 * @param {string} url
 * @param {{ clientId: string, clientSecret: string }} application whose catalog is CATALOG
 */
export async function runFlow(url, { clientId, clientSecret }) {
  const call = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { apiKey: clientId, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const user = { clientUserId: 'grace@example.com', clientUserName: 'Grace Hopper' };
  const { specialToken } = await call('POST', '/api/v2/app/create-user', { clientId, clientSecret, ...user });
  const token = await call('POST', '/oauth/v2/get-access-token', { clientSecret, specialToken });
  assert.equal(token.email, user.clientUserId);
  const keys = await call('GET', '/api/option_keys?option_group_name=notifications&language=Espa%C3%B1ol');
  const [{ option_group_uid, option_key_uid }] = keys.items;
  const wanted = {
    access_token: token.access_token,
    option_group_uid,
    option_key_uid,
    language: 'es',
    value: ['Azul'],
  };
  const saved = await call('POST', '/api/user_options', wanted);
  assert.equal(saved.option.value, 'blue');
  const bearer = { authorization: `Bearer ${token.access_token}` };
  const { items } = await call('GET', '/api/user_options', undefined, bearer);
  assert.equal(items.length, 1);
  const basic = { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
  await call('DELETE', `/api/v2/app/${clientId}/users/${token.service_user_code}`, undefined, basic);
  for (const path of PAGES) {
    const { status } = await fetch(`${url}${path}`);
    assert.equal(status, 200, `${path} answered ${status}`);
  }
}
