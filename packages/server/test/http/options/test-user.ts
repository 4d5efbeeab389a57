import { bearer, makeSignedInUser, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire, withCatalog } from './example-catalog.ts';

export const PATH = '/api/user_options';

/** A user in a new application with the example catalog. */
export async function makeTestUser(server: TestServer, settings?: Record<string, unknown>) {
  const shop = await withCatalog(server, EXAMPLE, settings);
  const user = await makeSignedInUser(server, shop.application);
  const save = (body: Wire, headers: Record<string, string> = {}) =>
    server.post(PATH, { user_uid: user.userCode, ...body }, { ...shop.apiKey, ...headers });
  const read = (query = '', headers = bearer(user.accessToken)) => shop.get(`${PATH}${query}`, headers);
  return { ...shop, user, save, read };
}

/** The selected values, by name of the key. */
export function values(json: Wire): unknown[] {
  return (json.items as { option: Wire }[]).map(({ option }) => [option.name, option.value]);
}
