import { oneLine, type Sample, SECRET, type SnippetFacts } from './facts.ts';

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const choice = ({ groupUid, keyUid, value }: Sample) =>
  JSON.stringify({ option_group_uid: groupUid, option_key_uid: keyUid, value });

export function curl({ base, clientId, sample, secret = SECRET }: SnippetFacts): string {
  // In parentheses, so that a failure ends the snippet and not the terminal it was pasted into. Without comments: zsh
  // runs pasted text after # as a command, with its quotes, parentheses and patterns.
  return `(
SECRET=${inShell(secret)}
CLIENT_SECRET=\${INNKEEPER_CLIENT_SECRET:-$SECRET}
BASE=${inShell(base)}
CLIENT_ID=${inShell(clientId)}

call() {
  RESPONSE=$(curl -sS --fail-with-body -H 'Content-Type: application/json' "$@") || { printf '%s\\n' "$RESPONSE" >&2; exit 1; }
}

echo '1. On your server: create a user. The response contains a specialToken, valid for one exchange.'
call "$BASE/api/v2/app/create-user" \\
  -d '{"clientId":"'"$CLIENT_ID"'","clientSecret":"'"$CLIENT_SECRET"'","clientUserId":"user-'"$(date +%s)"'","clientUserName":"Ada"}'
SPECIAL_TOKEN=$(printf '%s\\n' "$RESPONSE" | sed -E 's/.*"specialToken":"([^"]+)".*/\\1/')

echo '2. Still on your server: exchange it for an access token.'
call "$BASE/oauth/v2/get-access-token" \\
  -d '{"clientSecret":"'"$CLIENT_SECRET"'","specialToken":"'"$SPECIAL_TOKEN"'"}'
ACCESS_TOKEN=$(printf '%s\\n' "$RESPONSE" | sed -E 's/.*"access_token":"([^"]+)".*/\\1/')

echo '3. Anywhere: list the options.'
call "$BASE/api/option_keys" -H "apiKey: $CLIENT_ID"
printf '%s\\n' "$RESPONSE"
${
  sample
    ? `
echo ${inShell(`4. With the access token: save ${oneLine(sample.keyName)}.`)}
call "$BASE/api/user_options" -H "apiKey: $CLIENT_ID" -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -d ${inShell(choice(sample))}
printf '%s\\n' "$RESPONSE"
`
    : ''
}
echo '${sample ? 5 : 4}. Read the effective options, including defaults.'
call "$BASE/api/user_options?effective=true" -H "apiKey: $CLIENT_ID" -H "Authorization: Bearer $ACCESS_TOKEN"
printf '%s\\n' "$RESPONSE"
)
`;
}
