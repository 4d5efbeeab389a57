import { oneLine, SECRET, type SnippetFacts } from './facts.ts';

export function typescript({ base, clientId, sample, secret = SECRET }: SnippetFacts): string {
  // Without types, so that any Node runs it; what is inferred satisfies a strict compiler.
  return `// Save it as innkeeper.mjs (in a TypeScript project: innkeeper.mts). Node 20 or newer, nothing to install.
const clientSecret = process.env.INNKEEPER_CLIENT_SECRET || ${JSON.stringify(secret)};
const clientId = ${JSON.stringify(clientId)};
const base = ${JSON.stringify(base)};

async function call(method = 'GET', path = '', headers = {}, body = {}) {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  if (!response.ok) {
    console.error(response.status, answer);
    process.exit(1);
  }
  return JSON.parse(answer);
}

// On your server: create a user and exchange its specialToken.
const user = { clientUserId: \`user-\${Date.now()}\`, clientUserName: 'Ada' };
const { specialToken } = await call('POST', '/api/v2/app/create-user', {}, { clientId, clientSecret, ...user });
const { access_token } = await call('POST', '/oauth/v2/get-access-token', {}, { clientSecret, specialToken });

// What can be chosen, ${sample ? 'a choice, ' : ''}and what holds for the user now.
const headers = { apiKey: clientId, authorization: \`Bearer \${access_token}\` };
console.log(JSON.stringify(await call('GET', '/api/option_keys', headers), null, 2));
${
  sample
    ? `await call('POST', '/api/user_options', headers, {
  option_group_uid: ${JSON.stringify(sample.groupUid)},
  option_key_uid: ${JSON.stringify(sample.keyUid)}, // ${oneLine(sample.keyName)}
  value: ${JSON.stringify(sample.value)},
});
`
    : ''
}console.log(JSON.stringify(await call('GET', '/api/user_options?effective=true', headers), null, 2));
`;
}
