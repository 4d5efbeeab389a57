import { oneLine, type Scalar, SECRET, type SnippetFacts } from './facts.ts';

const inPython = (value: Scalar): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);

export function python({ base, clientId, sample, secret = SECRET }: SnippetFacts): string {
  return `# Python 3.8 or newer, nothing to install.
import json, os, sys, time, urllib.error, urllib.request

CLIENT_SECRET = os.environ.get("INNKEEPER_CLIENT_SECRET") or ${JSON.stringify(secret)}
CLIENT_ID = ${JSON.stringify(clientId)}
BASE = ${JSON.stringify(base)}


def call(path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code} {error.read().decode()}")


# On your server: create a user and exchange its specialToken.
user = {"clientUserId": f"user-{time.time_ns()}", "clientUserName": "Ada"}
created = call("/api/v2/app/create-user", {"clientId": CLIENT_ID, "clientSecret": CLIENT_SECRET, **user})
exchange = {"clientSecret": CLIENT_SECRET, "specialToken": created["specialToken"]}
token = call("/oauth/v2/get-access-token", exchange)["access_token"]

# List the options, ${sample ? 'save one, ' : ''}and read the effective options.
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
