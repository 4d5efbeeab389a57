import type { SnippetFacts } from './facts.ts';

export function react({ base, clientId }: SnippetFacts): string {
  return `// The page gets the user's access token from your server, which alone knows the clientSecret.
// Add the origin of the page to the allowed web origins of the application.
import { useEffect, useState } from 'react';

const base = ${JSON.stringify(base)};
const apiKey = ${JSON.stringify(clientId)};

type Value = string | number | boolean;
type Key = {
  option_group_uid: string;
  option_key_uid: string;
  label: string;
  multiple: boolean;
  allowed_values: { value: Value; label: string }[] | null;
};

export function Options({ accessToken, language }: { accessToken: string; language: string }) {
  const [keys, setKeys] = useState<Key[]>([]);
  const headers = { apiKey, authorization: \`Bearer \${accessToken}\`, 'content-type': 'application/json' };

  useEffect(() => {
    fetch(\`\${base}/api/option_keys?language=\${encodeURIComponent(language)}\`, { headers: { apiKey } })
      .then((response) => response.json())
      .then(({ items }) => setKeys(items));
  }, [language]);

  const save = ({ option_group_uid, option_key_uid }: Key, value: Value) =>
    fetch(\`\${base}/api/user_options\`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ option_group_uid, option_key_uid, value: [value] }),
    });

  return keys
    .filter((key) => key.allowed_values && !key.multiple)
    .map((key) => (
      <label key={key.option_key_uid}>
        {key.label}
        <select onChange={(event) => save(key, key.allowed_values![Number(event.target.value)].value)}>
          {key.allowed_values!.map(({ label }, place) => (
            <option key={place} value={place}>{label}</option>
          ))}
        </select>
      </label>
    ));
}
`;
}
