export const SNIPPETS = ['curl', 'typescript', 'react', 'python', 'php', 'go'] as const;
export type SnippetName = (typeof SNIPPETS)[number];

export type Sample = { groupUid: string; keyUid: string; keyName: string; value: readonly Scalar[] };
type Scalar = string | number | boolean;

export type SnippetFacts = {
  /** Of the service, without a slash at its end. */
  base: string;
  clientId: string;
  /** Something that can be chosen; undefined: the catalog has nothing yet. */
  sample: Sample | undefined;
};

/** What stands in the snippets where the secret belongs: nobody but the application knows it. */
export const SECRET = 'YOUR_CLIENT_SECRET';

/**
 * The way from no user to a choice that is read back, for each language with nothing but what comes with it.
 * e2e/connect.test.ts runs those for curl, Node and Python.
 */
export function makeSnippets(facts: SnippetFacts): Record<SnippetName, string> {
  return {
    curl: curl(facts),
    typescript: typescript(facts),
    react: react(facts),
    python: python(facts),
    php: php(facts),
    go: go(facts),
  };
}

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const inPhp = (value: Scalar): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);
const inPython = (value: Scalar): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);

const choice = ({ groupUid, keyUid, value }: Sample) =>
  JSON.stringify({ option_group_uid: groupUid, option_key_uid: keyUid, value });

function curl({ base, clientId, sample }: SnippetFacts): string {
  // In parentheses, so that what fails ends the snippet and not the terminal that it was pasted into.
  return `(
BASE=${inShell(base)}
CLIENT_ID=${inShell(clientId)}
CLIENT_SECRET=${inShell(SECRET)}

# Stops at the first request that fails, and shows why.
call() {
  ANSWER=$(curl -sS --fail-with-body -H 'Content-Type: application/json' "$@") || { printf '%s\\n' "$ANSWER" >&2; exit 1; }
}

# 1. On your server: create a user. The answer holds a specialToken, good for one exchange.
call "$BASE/api/v2/app/create-user" \\
  -d '{"clientId":"'"$CLIENT_ID"'","clientSecret":"'"$CLIENT_SECRET"'","clientUserId":"user-'"$(date +%s)"'","clientUserName":"Ada"}'
SPECIAL_TOKEN=$(printf '%s\\n' "$ANSWER" | sed -E 's/.*"specialToken":"([^"]+)".*/\\1/')

# 2. Still on your server: exchange it for the user's access token.
call "$BASE/oauth/v2/get-access-token" \\
  -d '{"clientSecret":"'"$CLIENT_SECRET"'","specialToken":"'"$SPECIAL_TOKEN"'"}'
ACCESS_TOKEN=$(printf '%s\\n' "$ANSWER" | sed -E 's/.*"access_token":"([^"]+)".*/\\1/')

# 3. Anywhere: what can be chosen?
call "$BASE/api/option_keys" -H "apiKey: $CLIENT_ID"
printf '%s\\n' "$ANSWER"
${
  sample
    ? `
# 4. With the user's token: choose (${oneLine(sample.keyName)}).
call "$BASE/api/user_options" -H "apiKey: $CLIENT_ID" -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -d ${inShell(choice(sample))}
printf '%s\\n' "$ANSWER"
`
    : ''
}
# ${sample ? 5 : 4}. What holds for the user now, defaults included?
call "$BASE/api/user_options?effective=true" -H "apiKey: $CLIENT_ID" -H "Authorization: Bearer $ACCESS_TOKEN"
printf '%s\\n' "$ANSWER"
)
`;
}

function typescript({ base, clientId, sample }: SnippetFacts): string {
  return `// Node 20 or newer, nothing to install.
const base = ${JSON.stringify(base)};
const clientId = ${JSON.stringify(clientId)};
const clientSecret = process.env.INNKEEPER_CLIENT_SECRET ?? ${JSON.stringify(SECRET)};

type Call = { method?: string; headers?: Record<string, string>; body?: unknown };

async function call(path: string, { method = 'GET', headers = {}, body }: Call = {}) {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: any = response.status === 204 ? undefined : await response.json();
  if (!response.ok) throw new Error(\`\${answer.code}: \${answer.message}\`);
  return answer;
}

// On your server: create a user and exchange its specialToken.
const { specialToken } = await call('/api/v2/app/create-user', {
  method: 'POST',
  body: { clientId, clientSecret, clientUserId: \`user-\${Date.now()}\`, clientUserName: 'Ada' },
});
const { access_token } = await call('/oauth/v2/get-access-token', {
  method: 'POST',
  body: { clientSecret, specialToken },
});

// What can be chosen, ${sample ? 'a choice, ' : ''}and what holds for the user now.
const headers = { apiKey: clientId, authorization: \`Bearer \${access_token}\` };
const show = (value: unknown) => console.log(JSON.stringify(value, null, 2));
show(await call('/api/option_keys', { headers }));
${
  sample
    ? `await call('/api/user_options', {
  method: 'POST',
  headers,
  body: {
    option_group_uid: ${JSON.stringify(sample.groupUid)},
    option_key_uid: ${JSON.stringify(sample.keyUid)}, // ${oneLine(sample.keyName)}
    value: ${JSON.stringify(sample.value)},
  },
});
`
    : ''
}show(await call('/api/user_options?effective=true', { headers }));
`;
}

function react({ base, clientId }: SnippetFacts): string {
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

function python({ base, clientId, sample }: SnippetFacts): string {
  return `# Python 3.8 or newer, nothing to install.
import json, os, time, urllib.request

BASE = ${JSON.stringify(base)}
CLIENT_ID = ${JSON.stringify(clientId)}
CLIENT_SECRET = os.environ.get("INNKEEPER_CLIENT_SECRET", ${JSON.stringify(SECRET)})


def call(path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


# On your server: create a user and exchange its specialToken.
user = {"clientUserId": f"user-{time.time_ns()}", "clientUserName": "Ada"}
created = call("/api/v2/app/create-user", {"clientId": CLIENT_ID, "clientSecret": CLIENT_SECRET, **user})
exchange = {"clientSecret": CLIENT_SECRET, "specialToken": created["specialToken"]}
token = call("/oauth/v2/get-access-token", exchange)["access_token"]

# What can be chosen, ${sample ? 'a choice, ' : ''}and what holds for the user now.
headers = {"apiKey": CLIENT_ID, "Authorization": f"Bearer {token}"}
print(json.dumps(call("/api/option_keys", headers=headers), indent=2))
${
  sample
    ? `call("/api/user_options", {
    "option_group_uid": ${JSON.stringify(sample.groupUid)},
    "option_key_uid": ${JSON.stringify(sample.keyUid)},  # ${oneLine(sample.keyName)}
    "value": [${sample.value.map(inPython).join(', ')}],
}, headers)
`
    : ''
}print(json.dumps(call("/api/user_options?effective=true", headers=headers), indent=2))
`;
}

function php({ base, clientId, sample }: SnippetFacts): string {
  return `<?php
$base = ${inPhp(base)};
$clientId = ${inPhp(clientId)};
$clientSecret = getenv('INNKEEPER_CLIENT_SECRET') ?: ${inPhp(SECRET)};

function call(string $path, ?array $body = null, array $headers = []): array {
    global $base;
    $context = stream_context_create(['http' => [
        'method' => $body === null ? 'GET' : 'POST',
        'header' => [...$headers, 'Content-Type: application/json'],
        'content' => $body === null ? '' : json_encode($body),
        'ignore_errors' => true,
    ]]);
    return json_decode(file_get_contents($base . $path, false, $context), true);
}

// On your server: create a user and exchange its specialToken.
$user = ['clientUserId' => uniqid('user-'), 'clientUserName' => 'Ada'];
$created = call('/api/v2/app/create-user', ['clientId' => $clientId, 'clientSecret' => $clientSecret] + $user);
$exchange = ['clientSecret' => $clientSecret, 'specialToken' => $created['specialToken']];
$token = call('/oauth/v2/get-access-token', $exchange)['access_token'];

$headers = ["apiKey: $clientId", "Authorization: Bearer $token"];
${
  sample
    ? `call('/api/user_options', [
    'option_group_uid' => ${inPhp(sample.groupUid)},
    'option_key_uid' => ${inPhp(sample.keyUid)}, // ${oneLine(sample.keyName)}
    'value' => [${sample.value.map(inPhp).join(', ')}],
], $headers);
`
    : ''
}print_r(call('/api/user_options?effective=true', null, $headers));
`;
}

function go({ base, clientId, sample }: SnippetFacts): string {
  return `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const base = ${JSON.stringify(base)}
const clientID = ${JSON.stringify(clientId)}
const clientSecret = ${JSON.stringify(SECRET)}

type object = map[string]any

func call(method, path string, body any, headers map[string]string) (answer object) {
	data, _ := json.Marshal(body)
	request, err := http.NewRequest(method, base+path, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		panic(err)
	}
	return answer
}

func main() {
	// On your server: create a user and exchange its specialToken.
	created := call("POST", "/api/v2/app/create-user", object{
		"clientId": clientID, "clientSecret": clientSecret,
		"clientUserId": fmt.Sprint("user-", time.Now().UnixNano()), "clientUserName": "Ada",
	}, nil)
	granted := call("POST", "/oauth/v2/get-access-token", object{
		"clientSecret": clientSecret, "specialToken": created["specialToken"],
	}, nil)

	headers := map[string]string{"apiKey": clientID, "Authorization": fmt.Sprint("Bearer ", granted["access_token"])}
${
  sample
    ? `	call("POST", "/api/user_options", object{
		"option_group_uid": ${JSON.stringify(sample.groupUid)},
		"option_key_uid":   ${JSON.stringify(sample.keyUid)}, // ${oneLine(sample.keyName)}
		"value":            []any{${sample.value.map((value) => JSON.stringify(value)).join(', ')}},
	}, headers)
`
    : ''
}	fmt.Println(call("GET", "/api/user_options?effective=true", nil, headers))
}
`;
}

/** In a comment, where a line must not end before its time. */
function oneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
