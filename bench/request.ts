/** A request as sent over the wire, byte for byte, by every load generator. */
export function request(method: string, path: string, headers: Record<string, string>, body?: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

export function jsonRequest(method: string, path: string, headers: Record<string, string>, body: object): string {
  return request(method, path, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(body));
}

export function basic(user: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}
