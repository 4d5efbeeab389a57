import type { SnippetFacts } from './facts.ts';

export function react({ base, clientId, sample }: SnippetFacts): string {
  return `// npm install @innkeeper/react @innkeeper/client
// Add the origin of the page to the allowed web origins of the application.
import { InnkeeperProvider, OptionsForm } from '@innkeeper/react';
import '@innkeeper/react/styles.css';

/** From your server, which alone knows the clientSecret: see the snippet for TypeScript. Asked again when it has expired. */
async function accessToken() {
  const answer = await fetch('/token', { method: 'POST' });
  return answer.text();
}

export function Options({ language }: { language?: string }) {
  return (
    <InnkeeperProvider
      baseUrl={${JSON.stringify(base)}}
      apiKey={${JSON.stringify(clientId)}}
      accessToken={accessToken}
      language={language}
    >
      <OptionsForm group={${JSON.stringify(sample?.groupName ?? 'YOUR_GROUP')}} />
    </InnkeeperProvider>
  );
}
`;
}
