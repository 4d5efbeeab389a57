import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from '../../domain/applications/application.ts';
import { allowsOrigin } from '../../domain/applications/settings.ts';
import type { Service } from '../../domain/service.ts';
import type { Exchange } from '../access-log.ts';
import { networkOf } from '../client-address.ts';
import { hasCurrent } from '../etag.ts';
import { type LimitHeaders, limitHeaders } from '../rate-limits.ts';
import { headLine, writeReadyHead } from '../ready-head.ts';
import { requestIdOf } from '../request-id.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import { corsHeaders } from './api-key.ts';
import { findReady } from './catalog-answer.ts';

const NO_LENGTH: readonly string[] = [];

type Parts = {
  service: Service;
  record: (exchange: Exchange) => void;
  requestLog: Pick<RequestLog, 'observe'>;
  addressOf: (request: IncomingMessage) => string;
};

/**
 * Reads of the catalog that somebody asked before, in this revision, are answered from memory without the framework,
 * which would take longer than all the rest. Answers whether it did: whatever is not plainly one of these is left to
 * the routes, which also make what is found here (catalog-answer.ts).
 */
export function createReadyReads({ service, record, requestLog, addressOf }: Parts) {
  const limitsOf = (application: Application, request: IncomingMessage): LimitHeaders | 'used-up' | undefined => {
    const { limits } = service;
    const network = () => networkOf(addressOf(request));
    const claims = limits.ofAddress(network).concat(limits.ofApplication(application, 'options', network));
    if (claims.length === 0) return undefined;
    const { admitted, standings } = limits.admit(claims);
    return admitted ? limitHeaders(standings) : 'used-up';
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url, headers } = request;
    if (method !== 'GET' || url === undefined || !url.startsWith('/api/option_')) return false;
    if (headers.host === undefined || headers['content-length'] !== undefined) return false;
    if (headers['transfer-encoding'] !== undefined) return false;
    const apiKey = headers.apikey;
    const application = typeof apiKey === 'string' ? service.applications.peek(apiKey) : undefined;
    const catalog = application && service.catalogs.peek(application.appId);
    const ready = catalog && findReady(catalog, url, headers['accept-language']);
    if (!ready) return false;
    const limited = limitsOf(application, request);
    // The routes say so; nothing was counted here.
    if (limited === 'used-up') return false;

    const started = performance.now();
    const requestId = requestIdOf(headers);
    const isCurrent = hasCurrent(headers['if-none-match'], ready.etag);
    const status = isCurrent ? 304 : 200;
    const lines = (isCurrent ? ready.lines : ready.bodyLines) + headLine('x-request-id', requestId);
    let rest = isCurrent ? NO_LENGTH : ready.length;
    const { origin } = headers;
    if (origin !== undefined && allowsOrigin(application.settings, origin)) rest = rest.concat(corsHeaders(origin));
    if (limited) rest = rest.concat(limited);
    writeReadyHead(response, status, lines, rest);
    if (isCurrent) response.end();
    else response.end(ready.body.bytes, 'latin1');

    const milliseconds = performance.now() - started;
    const address = addressOf(request);
    const { route, params } = ready;
    record({ requestId, method, route, url, address, status, code: undefined, milliseconds });
    requestLog.observe(application.appId, undefined, () => ({
      method,
      url,
      route,
      params,
      status,
      milliseconds,
      requestId,
      ip: address,
      userAgent: headers['user-agent'],
      authorization: headers.authorization,
      userId: undefined,
      body: undefined,
      answer: isCurrent ? undefined : ready.body.toBuffer(),
    }));
    return true;
  };
}
