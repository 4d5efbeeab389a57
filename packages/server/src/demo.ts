import { randomUUIDv7 } from 'node:crypto';
import { createApplication } from './domain/applications/create-application.ts';
import type { Keyring } from './domain/keyring.ts';
import type { Storage } from './storage/port.ts';

/** What the first `npm start` shows. Only that start can: the secret is kept as a hash. */
export type Demo = { clientId: string; clientSecret: string; userIds: { ada: string; bob: string } };

const MADE = 'demo-application';

/** Makes the demo application once per database; undefined when it has been made before. */
export async function makeDemo(storage: Storage, keyring: Keyring, now: number): Promise<Demo | undefined> {
  if ((await storage.facts.get(MADE)) !== undefined) return undefined;
  const application = await createApplication(storage, keyring, 'Demo', now);
  // Two first starts at once: the one whose application is settled on is the demo, the other takes its own back.
  if ((await storage.facts.settle(MADE, application.clientId)) !== application.clientId) {
    await storage.applications.delete(appIdOf(application.clientId));
    return undefined;
  }
  const ada = await addUser(storage, keyring, application.clientId, 'ada@example.com', 'Ada Lovelace', now);
  const bob = await addUser(storage, keyring, application.clientId, 'bob@example.com', 'Bob Marlowe', now);
  return { ...application, userIds: { ada, bob } };
}

async function addUser(
  storage: Storage,
  keyring: Keyring,
  clientId: string,
  clientUserId: string,
  clientUserName: string,
  now: number,
): Promise<string> {
  const userId = randomUUIDv7();
  await storage.users.createWithToken({
    userId,
    appId: appIdOf(clientId),
    clientUserId,
    clientUserName,
    createdAt: now,
    // Expired from the start: nobody was told it.
    specialToken: { tokenHash: keyring.hashToken(userId), expiresAt: now },
  });
  return userId;
}

function appIdOf(clientId: string): number {
  return Number(clientId.slice(0, clientId.indexOf('_')));
}

export function demoLines(url: string, demo: Demo): string {
  const { clientId, clientSecret, userIds } = demo;
  const credentials = `"clientId":"${clientId}","clientSecret":"${clientSecret}"`;
  const freshToken = `$(curl -s ${url}/api/v2/app/special-token -d '{${credentials},"clientUserId":"ada@example.com"}' | cut -d'"' -f4)`;
  return `
  A demo application was made. Its secret is shown this once:

    clientId      ${clientId}
    clientSecret  ${clientSecret}

  Try it. These lines work as pasted:

  # create a user
  curl -s ${url}/api/v2/app/create-user -d '{${credentials},"clientUserId":"user-'$(date +%s)'@example.com","clientUserName":"A new user"}'

  # a fresh specialToken for a user who lost theirs
  curl -s ${url}/api/v2/app/special-token -d '{${credentials},"clientUserId":"ada@example.com"}'

  # exchange a specialToken for an access token
  curl -s ${url}/oauth/v2/get-access-token -d '{"clientSecret":"${clientSecret}","specialToken":"'"${freshToken}"'"}'

  # delete a user with everything that is theirs (204)
  curl -s -o /dev/null -w '%{http_code}\\n' -X DELETE -u ${clientId}:${clientSecret} ${url}/api/v2/app/${clientId}/users/${userIds.bob}

  # where tokens are introspected, revoked and verified
  curl -s ${url}/.well-known/oauth-authorization-server
`;
}
