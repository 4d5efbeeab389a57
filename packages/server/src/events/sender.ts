import { Resolver } from 'node:dns/promises';
import type { Agent, RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRange, addressNumber, isWithin, PUBLIC_ADDRESSES, rangeOf } from '../addresses.ts';
import { codeOf } from '../caught.ts';
import { currentSpan, type Tracer } from '../domain/tracing.ts';
import type { SendProblem, Sent, WebhookSender } from '../domain/webhooks/send-event.ts';
import { version } from '../package.ts';

// An import would load more than needed, and TLS before the first webhook.
const PROTOCOLS = {
  'http:': () => process.getBuiltinModule('node:http'),
  'https:': () => process.getBuiltinModule('node:https'),
};

/** Covers name lookup, connection, request and response. */
const WITHIN_MS = 10_000;
const KEPT_BYTES = 1024;
/** Maximum bytes read of a response. */
const MAX_BYTES = 65_536;
/** Maximum chunks: each costs microseconds, however small it is. */
const MAX_CHUNKS = 2_000;
/** 1xx responses before the final one: no receiver needs more. */
const MAX_EARLY = 10;
const IDLE_MS = 4_000;
const MAX_URL = 2048;
const NAME_SERVER = { timeout: 2_000, tries: 2 };
/** Of each family: a name may have thousands, and checking them all would delay other requests. */
const MAX_ADDRESSES = 16;

type Options = {
  /** Non-public networks that may be reached. */
  allow: readonly string[];
  /** Default: those of the system. */
  nameServers?: readonly string[];
  withinMs?: number;
  /** If given, receivers get a traceparent. */
  tracer?: Tracer | undefined;
};

class AddressNotAllowed extends Error {
  override name = 'AddressNotAllowed';
}

class NoResponse extends Error {
  override name = 'NoResponse';
}

class Overdue extends Error {
  override name = 'Overdue';
}

/**
 * Names are resolved in each connection's own lookup, which rejects addresses that are not allowed. A name therefore
 * cannot change between check and use. Redirects are not followed.
 */
export function createSender({ allow, nameServers, withinMs = WITHIN_MS, tracer }: Options): WebhookSender {
  const addresses = allowedAddresses(allow);
  // The system's resolver blocks a thread of the pool that also hashes passwords.
  const resolver = new Resolver(NAME_SERVER);
  if (nameServers) resolver.setServers(nameServers);
  const pool = { keepAlive: true, maxFreeSockets: 32, timeout: IDLE_MS };
  const agents = new Map<string, Agent>();
  const agentFor = (protocol: keyof typeof PROTOCOLS): Agent => {
    const agent = agents.get(protocol) ?? new (PROTOCOLS[protocol]().Agent)(pool);
    agents.set(protocol, agent as Agent);
    return agent as Agent;
  };

  async function resolve(host: string, protocol: string): Promise<{ address: string; family: number }[]> {
    const found = await findAddresses(resolver, host);
    // Every one that may be connected to must be allowed: a private one among them shows that the name is not meant to be public.
    if (!found.every(({ address }) => addresses.allows(address, protocol))) throw new AddressNotAllowed();
    return found;
  }

  const lookupFor =
    (protocol: string): LookupFunction =>
    (host, { all }, callback) => {
      resolve(host, protocol).then(
        (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
        (error) => callback(error, []),
      );
    };
  const lookups = { 'https:': lookupFor('https:'), 'http:': lookupFor('http:') };

  return {
    async problemWith(text) {
      const url = readUrl(text, addresses, allow.length > 0);
      if (typeof url === 'string') return url;
      try {
        await resolve(hostOf(url), url.protocol);
        return undefined;
      } catch (error) {
        // A name that cannot be resolved now may resolve later, but http is accepted only once it is seen to lead to an
        // operator's network.
        return error instanceof AddressNotAllowed || url.protocol === 'http:' ? notAllowed(url) : undefined;
      }
    },

    async post(text, headers, body) {
      const startedAt = performance.now();
      const url = URL.parse(text);
      const { promise, resolve: settle } = Promise.withResolvers<Omit<Sent, 'milliseconds'>>();
      const fail = (problem: SendProblem): void => settle({ status: null, problem, body: null });
      const overdue = AbortSignal.timeout(withinMs);
      const span = isHttp(url) ? (currentSpan()?.call('POST', text) ?? tracer?.call('POST', text)) : undefined;

      const send = (target: URL & { protocol: 'http:' | 'https:' }): void => {
        const options: RequestOptions = {
          method: 'POST',
          agent: agentFor(target.protocol),
          lookup: lookups[target.protocol],
          headers: {
            ...headers,
            ...span?.headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': `Innkeeper/${version}`,
          },
        };
        const sent = PROTOCOLS[target.protocol]().request(target, options);
        const stop = (): void => void sent.destroy(new Overdue());
        overdue.addEventListener('abort', stop, { once: true });
        let finish: (() => void) | undefined;
        sent.on('close', () => overdue.removeEventListener('abort', stop));
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // The status arrived in time, so it counts even if the response breaks off.
          if (finish) finish();
          // The receiver closed an idle connection just as it was reused.
          else if (sent.reusedSocket && error.code === 'ECONNRESET') send(target);
          else fail(problemOf(error));
        });
        let early = 0;
        sent.on('information', () => {
          early++;
          if (early > MAX_EARLY) sent.destroy(new NoResponse());
        });
        // Without a listener, node would close the request without an error: no one would learn that it ended.
        sent.on('upgrade', (_response, socket) => {
          socket.destroy();
          fail('connection-lost');
        });
        sent.on('response', (response) => {
          const kept: Buffer[] = [];
          let [bytes, chunks] = [0, 0];
          const { statusCode = 0 } = response;
          finish = () => settle({ status: statusCode, problem: null, body: toText(Buffer.concat(kept)) });
          response.on('data', (chunk: Buffer) => {
            if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
            bytes += chunk.length;
            if (bytes > MAX_BYTES || ++chunks > MAX_CHUNKS) sent.destroy();
          });
          response.on('close', finish);
          response.on('error', finish);
        });
        sent.end(body);
      };

      if (!isHttp(url)) fail('unreachable');
      // An address in the URL is never looked up, so check it here.
      else if (isIP(hostOf(url)) && !addresses.allows(hostOf(url), url.protocol)) fail('address-not-allowed');
      else send(url);
      const sent = await promise;
      span?.end({ status: sent.status ?? undefined, failure: sent.problem ?? undefined });
      return { ...sent, milliseconds: Math.round(performance.now() - startedAt) };
    },

    close() {
      for (const agent of agents.values()) agent.destroy();
      resolver.cancel();
    },
  };
}

function readUrl(text: string, addresses: AllowedAddresses, allowsSome: boolean): URL | string {
  const url = text.length > MAX_URL ? null : URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) {
    return 'must be a URL, for example https://app.example.com/webhooks';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment (#…)';
  if (url.protocol === 'http:' && !allowsSome) return 'must be an https URL';
  const host = hostOf(url);
  if (isIP(host) && !addresses.allows(host, url.protocol)) return notAllowed(url);
  return url;
}

function notAllowed({ protocol }: URL): string {
  return protocol === 'http:'
    ? 'must be an https URL; http is allowed only to the networks in INNKEEPER_WEBHOOKS_ALLOW'
    : 'must lead to a public address; the operator can allow other networks with INNKEEPER_WEBHOOKS_ALLOW';
}

function isHttp(url: URL | null): url is URL & { protocol: 'http:' | 'https:' } {
  return url?.protocol === 'https:' || url?.protocol === 'http:';
}

/** Without the brackets around IPv6 addresses. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

async function findAddresses(resolver: Resolver, host: string): Promise<{ address: string; family: number }[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  // RFC 6761: never ask a name server for it.
  if (/^(.+\.)?localhost\.?$/i.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled'
      ? answer.value.slice(0, MAX_ADDRESSES).map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  if (found.length === 0) throw Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' });
  return found;
}

const PROBLEMS: Record<string, SendProblem> = {
  ENOTFOUND: 'name-not-found',
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-lost',
  EPIPE: 'connection-lost',
};

function problemOf(error: Error): SendProblem {
  if (error instanceof Overdue) return 'timeout';
  if (error instanceof NoResponse) return 'connection-lost';
  if (error instanceof AddressNotAllowed) return 'address-not-allowed';
  // With Happy Eyeballs, each address has its own error.
  const code = codeOf(error instanceof AggregateError ? error.errors[0] : error) ?? '';
  if (code.startsWith('HPE_')) return 'connection-lost';
  if (/CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return 'certificate-invalid';
  return PROBLEMS[code] ?? 'unreachable';
}

/** Text that both databases can store. */
function toText(bytes: Buffer): string | null {
  const text = new TextDecoder().decode(bytes).replaceAll('\u0000', '\ufffd');
  return text === '' ? null : text;
}

/** Within PUBLIC_ADDRESSES, IANA's special-purpose addresses: private, local, for documentation, for protocols. */
const SPECIAL: readonly AddressRange[] = [
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '168.63.129.16/32', '2001::/23', '2001:db8::/32', '2620:4f:8000::/48'],
  '3fff::/20',
].map(rangeOf);

/** IPv6 ranges that embed an IPv4 address, and its position. */
const EMBEDDING = [
  { range: rangeOf('64:ff9b::/96'), shift: 0n },
  { range: rangeOf('2002::/16'), shift: 80n },
];
const MAPPED = addressNumber('0.0.0.0');

type AllowedAddresses = {
  /** Whether to connect to an address that is in a URL or that a name resolved to. */
  allows(address: string, protocol: string): boolean;
};

/** Public addresses over https, and the operator's networks over http as well. */
export function allowedAddresses(networks: readonly string[]): AllowedAddresses {
  const own = networks.map(rangeOf);
  return {
    allows(address, protocol) {
      const number = resolveEmbedded(addressNumber(address.split('%', 1)[0] as string));
      if (isWithin(number, own)) return true;
      return protocol === 'https:' && isWithin(number, PUBLIC_ADDRESSES) && !isWithin(number, SPECIAL);
    },
  };
}

function resolveEmbedded(number: bigint): bigint {
  const found = EMBEDDING.find(({ range }) => isWithin(number, [range]));
  return found ? MAPPED + ((number >> found.shift) & 0xffff_ffffn) : number;
}
