import { SECRET, type SnippetFacts } from './facts.ts';

export function typescript({ base, clientId, sample, secret = SECRET }: SnippetFacts): string {
  // Without type annotations, so that any Node runs it; the inferred types satisfy a strict compiler.
  return `// Not on npm yet: "npm run pack" in the repository of Innkeeper, and in your project
// npm install ../innkeeper/dist-packages/innkeeper-client-0.2.0.tgz
// Save it as innkeeper.mjs (in a TypeScript project: innkeeper.mts), for Node 20 or newer.
import { createOptionsClient } from '@innkeeper/client';
import { createUsersClient } from '@innkeeper/client/users';

const clientSecret = process.env.INNKEEPER_CLIENT_SECRET || ${JSON.stringify(secret)};
const clientId = ${JSON.stringify(clientId)};
const baseUrl = ${JSON.stringify(base)};

// On your server: get an access token; creates the user if there is none yet.
const users = createUsersClient({ baseUrl, clientId, clientSecret });
const { access_token } = await users.signIn({ clientUserId: \`user-\${Date.now()}\`, clientUserName: 'Ada' });

// There or on the user's page: list the options, ${sample ? 'save one, ' : ''}and read the effective options.
const options = createOptionsClient({ baseUrl, apiKey: clientId, accessToken: access_token });
console.log(JSON.stringify(await options.keys().all(), null, 2));
${sample ? `await options.save(${JSON.stringify(`${sample.groupName}.${sample.keyName}`)}, ${JSON.stringify(sample.value)});\n` : ''}console.log(JSON.stringify(await options.selections({ effective: true }).all(), null, 2));
`;
}
