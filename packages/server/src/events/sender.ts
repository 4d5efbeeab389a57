import { Resolver } from 'node:dns/promises';
import { Agent, type RequestOptions, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { currentSpan, type Tracer } from '../domain/tracing.ts';
import type { SendProblem, Sent, WebhookSender } from '../domain/webhooks/sender.ts';
import { version } from '../package.ts';
import { type AllowedAddresses, allowedAddresses } from './allowed-addresses.ts';

// An import would load more than is used.
const { Agent: PlainAgent, request: plainRequest } = process.getBuiltinModule('node:http');

/** For all of it: name, connection, request, response. */
const WITHIN_MS = 10_000;
const KEPT_BYTES = 1024;
/** What is longer is not read to its end. */
const MOST_BYTES = 65_536;
/** 1xx responses before the real one: no receiver needs more. */
const MOST_EARLY = 10;
const IDLE_MS = 4_000;
const LONGEST_URL = 2048;
const NAME_SERVER = { timeout: 2_000, tries: 2 };

type Options = {
  /** Networks of the operator that may be reached. */
  allow: readonly string[];
  /** Those of the system, unless given. */
  nameServers?: readonly string[];
  withinMs?: number;
  /** Receivers get a traceparent; undefined: none. */
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
 * Names are resolved by the lookup of each connection, which refuses addresses that are not allowed: there is no moment between
 * check and use at which a name could lead elsewhere. No redirect is followed.
 */
export function createSender({ allow, nameServers, withinMs = WITHIN_MS, tracer }: Options): WebhookSender {
  const addresses = allowedAddresses(allow);
  // Not the resolver of the system, which blocks a thread of the pool that passwords are hashed in.
  const resolver = new Resolver(NAME_SERVER);
  if (nameServers) resolver.setServers(nameServers);
  const pool = { keepAlive: true, maxFreeSockets: 32, timeout: IDLE_MS };
  const agents = { 'https:': new Agent(pool), 'http:': new PlainAgent(pool) };

  async function resolve(host: string, protocol: string): Promise<{ address: string; family: number }[]> {
    const found = await findAddresses(resolver, host);
    // All of them: one that is not allowed shows that the name is not meant for the public.
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
        // A name that cannot be resolved now may be later; that it leads to a network of the operator has to be seen.
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
          agent: agents[target.protocol],
          lookup: lookups[target.protocol],
          headers: {
            ...headers,
            ...span?.headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': `Innkeeper/${version}`,
          },
        };
        const sent = (target.protocol === 'https:' ? request : plainRequest)(target, options);
        const stop = (): void => void sent.destroy(new Overdue());
        overdue.addEventListener('abort', stop, { once: true });
        let finish: (() => void) | undefined;
        sent.on('close', () => overdue.removeEventListener('abort', stop));
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // However a response ends: its status came in time.
          if (finish) finish();
          // The receiver closed an idle connection at this moment.
          else if (sent.reusedSocket && error.code === 'ECONNRESET') send(target);
          else fail(problemOf(error));
        });
        let early = 0;
        sent.on('information', () => {
          early++;
          if (early > MOST_EARLY) sent.destroy(new NoResponse());
        });
        sent.on('response', (response) => {
          const kept: Buffer[] = [];
          let bytes = 0;
          const { statusCode = 0 } = response;
          finish = () => settle({ status: statusCode, problem: null, body: toText(Buffer.concat(kept)) });
          response.on('data', (chunk: Buffer) => {
            if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
            bytes += chunk.length;
            if (bytes > MOST_BYTES) sent.destroy();
          });
          response.on('close', finish);
          response.on('error', finish);
        });
        sent.end(body);
      };

      if (!isHttp(url)) fail('unreachable');
      // An address in the URL itself is never looked up.
      else if (isIP(hostOf(url)) && !addresses.allows(hostOf(url), url.protocol)) fail('address-not-allowed');
      else send(url);
      const sent = await promise;
      span?.end({ status: sent.status ?? undefined, failure: sent.problem ?? undefined });
      return { ...sent, milliseconds: Math.round(performance.now() - startedAt) };
    },

    close() {
      for (const agent of Object.values(agents)) agent.destroy();
      resolver.cancel();
    },
  };
}

function readUrl(text: string, addresses: AllowedAddresses, allowsSome: boolean): URL | string {
  const url = URL.parse(text);
  if (text.length > LONGEST_URL || !url || !/^https?:\/\//i.test(text)) {
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

/** Without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

async function findAddresses(resolver: Resolver, host: string): Promise<{ address: string; family: number }[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  // RFC 6761: not asked of a name server.
  if (/^(.+\.)?localhost\.?$/i.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
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
  // Happy eyeballs: each address failed in its own way.
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const { code = '' } = first as NodeJS.ErrnoException;
  if (code.startsWith('HPE_')) return 'connection-lost';
  if (/CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return 'certificate-invalid';
  return PROBLEMS[code] ?? 'unreachable';
}

/** That both databases can keep. */
function toText(bytes: Buffer): string | null {
  const text = new TextDecoder().decode(bytes).replaceAll('\u0000', '\ufffd');
  return text === '' ? null : text;
}
