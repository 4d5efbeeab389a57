import { currentSpan } from '../../domain/tracing.ts';
import { TokenServiceRefused, TokenServiceUnreachable } from '../port.ts';

const MAX_BODY_BYTES = 64 * 1024;

/**
 * The only code that calls the token service: an answer that is whole and of a sane size, or one of the port's two errors.
 * It has the shape of fetch, so that oauth4webapi sends everything through it.
 */
export async function fetchAnswer(
  address: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: RequestInit['body'];
    signal?: AbortSignal | undefined;
  },
): Promise<Response> {
  // The server's own metadata names the endpoints: they must be as safe as the configured address was.
  requireSafeAddress(new URL(address));
  const { method, headers, body, signal } = init;
  const span = currentSpan()?.call(method, address);
  try {
    const response = await fetch(address, {
      method,
      headers: span ? { ...headers, ...span.headers } : headers,
      redirect: 'manual',
      signal: signal ?? null,
      body: body ?? null,
    });
    span?.end({ status: response.status });
    // 429 belongs to these: it says nothing about the token that was asked for, only "not now".
    if (response.status >= 500 || response.status === 429) {
      await response.body?.cancel();
      throw new TokenServiceUnreachable(`the token service answered with HTTP ${response.status}`);
    }
    return new Response(await readBody(response), { status: response.status, headers: response.headers });
  } catch (error) {
    span?.end({ failure: signal?.aborted ? 'timeout' : 'unreachable' });
    if (error instanceof TokenServiceUnreachable || error instanceof TokenServiceRefused) throw error;
    if (signal?.aborted && signal.reason instanceof TokenServiceUnreachable) throw signal.reason;
    throw new TokenServiceUnreachable('the token service cannot be reached', { cause: error });
  }
}

/** Clear text is for a token service on the same machine only: what is sent holds a client secret. */
export function requireSafeAddress(url: URL): void {
  const loopback = /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) return;
  throw new TokenServiceRefused(`${url.origin} is no address for a token service: use https (http on loopback only)`);
}

/** Counts what comes out of decompression, so that a small answer cannot grow without end. */
async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (size > MAX_BODY_BYTES) throw new TokenServiceRefused(`the answer is over ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return size === 0 ? null : new Uint8Array(Buffer.concat(chunks));
}
