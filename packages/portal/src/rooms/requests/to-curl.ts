export type ShownRequest = {
  method: string;
  route: string | null;
  path: string;
  credentials: 'none' | 'basic' | 'bearer';
  request: string | null;
};

const MASKED = '[masked]';
/** Placeholders for secrets, by member name. */
const STAND_INS: Record<string, string> = {
  clientSecret: 'YOUR_CLIENT_SECRET',
  specialToken: 'YOUR_SPECIAL_TOKEN',
  access_token: 'YOUR_ACCESS_TOKEN',
  user_uid: 'USER_UID',
  clientUserId: 'CLIENT_USER_ID',
  clientUserName: 'CLIENT_USER_NAME',
};

/** The request as a shell command, with placeholders for secrets. */
export function toCurl(baseUrl: string, clientId: string, shown: ShownRequest): string {
  const parts = [`curl -X ${shown.method} ${quote(baseUrl + shown.path.replaceAll(MASKED, 'FILL_IN'))}`];
  if (shown.path.startsWith('/api/') && !shown.path.startsWith('/api/v2/'))
    parts.push(`-H ${quote(`apiKey: ${clientId}`)}`);
  if (shown.credentials === 'basic') parts.push(`-u ${quote(`${clientId}:YOUR_CLIENT_SECRET`)}`);
  if (shown.credentials === 'bearer') parts.push(`-H ${quote('Authorization: Bearer YOUR_ACCESS_TOKEN')}`);
  const body = shown.request?.startsWith('{') ? fillIn(shown.request) : undefined;
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json'`, `-d ${quote(body)}`);
  return parts.join(' \\\n  ');
}

function fillIn(body: string): string {
  try {
    return JSON.stringify(
      JSON.parse(body, (name, value: unknown) => (value === MASKED ? (STAND_INS[name] ?? 'FILL_IN') : value)),
    );
  } catch {
    // It was truncated: the rest is not JSON.
    return body.replaceAll(MASKED, 'FILL_IN');
  }
}

/** In single quotes, a shell takes everything literally except a single quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
