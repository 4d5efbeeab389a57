import { Agent, type IncomingMessage, request } from 'node:http';

export type Outcome =
  | { kind: 'answered'; status: number; body: Record<string, unknown> }
  /** Nothing was listening any more: the client knows that nothing was done. */
  | { kind: 'refused' }
  /** The request was on its way, and no whole answer came back. */
  | { kind: 'dropped'; error: Error; reused: boolean };

/** A POST whose fate is told apart as precisely as a client can. */
export function post(url: string, body: unknown, agent: Agent | false = false): Promise<Outcome> {
  return new Promise((resolve) => {
    const payload = JSON.stringify(body);
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
    });
    const dropped = (error: Error): void => {
      const refused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
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
          resolve({ kind: 'answered', status: response.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) });
        } catch (error) {
          dropped(error as Error);
        }
      });
    });
    sent.end(payload);
  });
}

export function keepAliveAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}
