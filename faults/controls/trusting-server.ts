import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that accepts forged tokens: it believes the claimed user and expiry. */
export async function startTrustingServer(): Promise<{ url: string; close(): void }> {
  const server = createServer(({ headers }, response) => {
    response.statusCode = isGood(headers.authorization?.replace('Bearer ', '')) ? 200 : 401;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

function isGood(token = ''): boolean {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    return claims.aud === 'here' && Number(claims.exp) * 1000 > Date.now();
  } catch {
    return false;
  }
}
