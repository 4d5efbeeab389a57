import type { SnippetFacts } from './facts.ts';

export function react({ base, clientId, sample }: SnippetFacts): string {
  return `// Not on npm yet: "npm run pack" in the repository of Innkeeper, and in your project
// npm install ../innkeeper/dist-packages/innkeeper-{client,react}-0.2.0.tgz react react-dom
// Add the origin of the page to the allowed web origins of the application.
import { createOptionsClient } from '@innkeeper/client';
import { InnkeeperProvider, OptionsForm } from '@innkeeper/react';
import '@innkeeper/react/styles.css';

const client = createOptionsClient({
  baseUrl: ${JSON.stringify(base)},
  apiKey: ${JSON.stringify(clientId)},
  // From your server, which alone knows the clientSecret: see the snippet for TypeScript. Called again when the token has expired.
  async accessToken() {
    const response = await fetch('/token', { method: 'POST' });
    if (!response.ok) throw new Error(\`no token: \${response.status}\`);
    return response.text();
  },
});

/** userId: the user who is signed in to your application. */
export function Options({ userId, language }: { userId: string; language?: string }) {
  return (
    <InnkeeperProvider client={client} userId={userId} language={language}>
      <OptionsForm group={${JSON.stringify(sample?.groupName ?? 'YOUR_GROUP')}} />
    </InnkeeperProvider>
  );
}
`;
}
