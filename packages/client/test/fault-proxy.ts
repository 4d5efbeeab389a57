import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Forwarded = { status: number; headers: IncomingMessage['headers']; body: Buffer };

/** A request on its way to the service. */
export type Exchange = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** Forwards the request to the service, even if the client has given up. */
  forward(): Promise<Forwarded>;
  reply(answer: Forwarded): void;
  /** Breaks the connection before or after the service has handled the request, or within the response. */
  reset(): void;
  truncate(answer: Forwarded): void;
};

export type Fault = (exchange: Exchange) => Promise<void> | void;
type Which = (exchange: Pick<Exchange, 'method' | 'url' | 'body'>) => boolean;

export const isSave: Which = ({ method }) => method === 'POST' || method === 'PUT' || method === 'DELETE';
export const isRead: Which = ({ method, url }) => method === 'GET' && url.startsWith('/api/user_options');
export const isCatalog: Which = ({ method, url }) => method === 'GET' && url.startsWith('/api/option_');

export const neverArrives: Fault = (exchange) => exchange.reset();
export const answerIsLost: Fault = async (exchange) => {
  await exchange.forward();
  exchange.reset();
};
export const answerIsCut: Fault = async (exchange) => exchange.truncate(await exchange.forward());

export const answerNeverComes: Fault = async (exchange) => {
  await exchange.forward();
};

/** The client sees a reset, but the request arrives later. */
export const arrivesAfter =
  (opened: Promise<unknown>): Fault =>
  async (exchange) => {
    exchange.reset();
    await opened;
    await exchange.forward();
  };

/** A promise that the test resolves. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export const heldUntil =
  (opened: Promise<unknown>): Fault =>
  async (exchange) => {
    await opened;
    exchange.reply(await exchange.forward());
  };

export const answerHeldUntil =
  (opened: Promise<unknown>): Fault =>
  async (exchange) => {
    const answer = await exchange.forward();
    await opened;
    exchange.reply(answer);
  };

/** For random sequences of faults; some wait for `opened`. */
export const FAULTS = {
  never: () => neverArrives,
  lost: () => answerIsLost,
  cut: () => answerIsCut,
  held: heldUntil,
  'answer held': answerHeldUntil,
  late: arrivesAfter,
} satisfies Record<string, (opened: Promise<unknown>) => Fault>;

export const FAULT_NAMES = Object.keys(FAULTS) as (keyof typeof FAULTS)[];

/**
 * A proxy between a client and the real service: each plan applies to the next matching request, everything else
 * passes.
 */
export async function startFaultProxy(target: string) {
  let plans: { which: Which; fault: Fault; met: () => void }[] = [];
  const seen: Pick<Exchange, 'method' | 'url' | 'body' | 'headers'>[] = [];
  const inTransit = new Set<Promise<unknown>>();
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(incoming);
    const exchange = exchangeOf(target, incoming, response, body);
    seen.push(exchange);
    const at = plans.findIndex(({ which }) => which(exchange));
    const [plan] = at === -1 ? [] : plans.splice(at, 1);
    plan?.met();
    const pass: Fault = async () => exchange.reply(await exchange.forward());
    const done = (async () => (plan?.fault ?? pass)(exchange))().catch(() => exchange.reset());
    inTransit.add(done);
    await done;
    inTransit.delete(done);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    saves: () => seen.filter(isSave),
    /** `met` resolves when a request has met the fault. */
    plan(which: Which, fault: Fault): { met: Promise<void> } {
      const { opened, open } = gate();
      plans.push({ which, fault, met: open });
      return { met: opened };
    },
    clearPlans() {
      plans = [];
    },
    reset() {
      plans = [];
      seen.length = 0;
    },
    /** Resolves when every request in transit has arrived. */
    async settled() {
      while (inTransit.size > 0) await Promise.all(inTransit);
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function exchangeOf(target: string, incoming: IncomingMessage, response: ServerResponse, body: Buffer): Exchange {
  const { method = '', url = '', headers } = incoming;
  const { host: _, connection: __, ...passed } = headers;
  return {
    method,
    url,
    headers,
    body: body.toString(),
    forward: () =>
      new Promise((resolve, reject) => {
        const outgoing = request(target + url, { method, headers: passed, agent: false }, (answer) => {
          bodyOf(answer).then(
            (received) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: received }),
            reject,
          );
        });
        outgoing.on('error', reject).end(body);
      }),
    reply({ status, headers: { 'transfer-encoding': ___, ...kept }, body: received }) {
      if (!response.destroyed) response.writeHead(status, kept).end(received);
    },
    reset: () => incoming.socket.destroy(),
    truncate({ status, headers: { 'transfer-encoding': ___, ...kept }, body: received }) {
      response.writeHead(status, { ...kept, 'content-length': received.length });
      response.write(received.subarray(0, received.length / 2), () => incoming.socket.destroy());
    },
  };
}
