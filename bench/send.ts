import { connect } from 'node:net';

/**
 * Prepares a run: sends every request once, over keep-alive connections, and reads the whole response. Uses raw
 * sockets, because thousands of tokens are created before each run.
 */
export type RawResponse = { status: number; headers: [string, string][]; body: string };

const HEAD_END = '\r\n\r\n';

export async function send(port: number, requests: string[], connections = 32): Promise<RawResponse[]> {
  const responses: RawResponse[] = [];
  let next = 0;
  const runConnection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let received = Buffer.alloc(0);
      let current = 0;
      const sendNext = (): void => {
        current = next++;
        const request = requests[current];
        if (request === undefined) socket.end();
        else socket.write(request);
      };
      socket.on('connect', sendNext);
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const response = readResponse(received);
        if (!response) return;
        received = Buffer.alloc(0);
        responses[current] = response;
        sendNext();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve());
    });
  await Promise.all(Array.from({ length: Math.min(connections, requests.length) }, runConnection));
  if (responses.length !== requests.length)
    throw new Error(`${requests.length - responses.length} requests got no response.`);
  return responses;
}

/** Like `send`, but every response must be a success. */
export async function sendOk(port: number, requests: string[]): Promise<RawResponse[]> {
  const responses = await send(port, requests);
  const bad = responses.find(({ status }) => status >= 400);
  if (bad) throw new Error(`HTTP ${bad.status} while preparing: ${bad.body}`);
  return responses;
}

function readResponse(received: Buffer): RawResponse | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0);
  if (received.length < headEnd + HEAD_END.length + length) return undefined;
  const status = Number(statusLine.split(' ')[1]);
  return { status, headers, body: received.toString('utf8', headEnd + HEAD_END.length) };
}
