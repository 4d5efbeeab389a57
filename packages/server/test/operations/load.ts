import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export type Outcome =
  | { kind: 'answered'; status: number; headers: IncomingHttpHeaders; body: Record<string, unknown> }
  /** Nothing was listening, so the client knows that nothing was done. */
  | { kind: 'refused' }
  /** The request was sent, but no complete response arrived. */
  | { kind: 'dropped'; error: Error; reused: boolean };

export type Sending = {
  agent?: Agent | false;
  headers?: Record<string, string>;
  /** How long a client waits for the complete response; forever by default. */
  timeoutMs?: number;
};

/**
 * Sends a request and distinguishes its outcomes as precisely as a client can. A body that is not text is sent as JSON.
 */
export function send(
  method: string,
  url: string,
  body?: unknown,
  { agent = false, headers = {}, timeoutMs }: Sending = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const typed = payload === body ? {} : { 'content-type': 'application/json' };
    const sized = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) };
    const sent = request(url, {
      method,
      agent,
      headers: { ...typed, ...sized, ...headers },
      ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
    });
    const dropped = (error: Error): void => {
      const { code, syscall } = error as NodeJS.ErrnoException;
      // Reset while connecting: the listener closed at that moment, and nothing was sent.
      const refused = code === 'ECONNREFUSED' || (code === 'ECONNRESET' && syscall === 'connect');
      resolve(refused ? { kind: 'refused' } : { kind: 'dropped', error, reused: sent.reusedSocket });
    };
    sent.on('error', dropped);
    sent.on('response', (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', dropped);
      response.on('end', () => {
        if (!response.complete) return dropped(new Error('the answer ended early'));
        try {
          const { statusCode = 0, headers } = response;
          resolve({ kind: 'answered', status: statusCode, headers, body: text === '' ? {} : JSON.parse(text) });
        } catch (error) {
          dropped(error as Error);
        }
      });
    });
    sent.end(payload);
  });
}

export function post(url: string, body: unknown, agent: Agent | false = false): Promise<Outcome> {
  return send('POST', url, body, { agent });
}

export function keepAliveAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}
