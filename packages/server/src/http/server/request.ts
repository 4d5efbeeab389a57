import type { IncomingHttpHeaders } from 'node:http';
import { Admission } from '../../domain/limits/admission.ts';
import type { RateLimits } from '../../domain/limits/rate-limits.ts';
import type { About } from '../request-log/about.ts';
import { networkOf } from './client-address.ts';
import { requestIdOf } from './request-id.ts';
import type { Found, Route } from './routes.ts';

type Parts = { method: string; url: string; headers: IncomingHttpHeaders; address: string };

/** One request, whatever it is for. Everything of its connection is read when it arrives: later the client may be gone. */
export class HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's: the peer of the connection, or the one a trusted proxy names. */
  readonly address: string;
  /** When its turn came. */
  started = performance.now();
  /** The limits it has met so far. */
  readonly admission: Admission;
  /** undefined: no route knows the path. */
  route: Route | undefined = undefined;
  params: Record<string, string> = {};
  query: Record<string, string | string[] | undefined> = {};
  body: Buffer | undefined = undefined;
  /** undefined: about no application. */
  about: About | undefined = undefined;

  constructor({ method, url, headers, address }: Parts, limits: RateLimits) {
    this.id = requestIdOf(headers);
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.address = address;
    this.admission = new Admission(limits, this);
  }

  take({ store, params, searchParams }: Found): Route {
    this.route = store;
    this.params = params;
    this.query = searchParams;
    return store;
  }

  /** The address, or the network of one subscriber. */
  get network(): string {
    return networkOf(this.address);
  }

  get milliseconds(): number {
    return performance.now() - this.started;
  }
}
