import type { Service } from '../../domain/service.ts';
import type { Answering, Asked } from '../asked.ts';
import { clientAddress } from '../client-address.ts';
import { WireText } from '../wire-text.ts';
import type { Exchanged } from './logged-request.ts';

/** Which application a request was for; undefined: none. */
export function applicationOf({ about, headers }: Asked, service: Service): number | undefined {
  if (about?.appId !== undefined) return about.appId;
  // One that no route of an application took, such as a misspelt path.
  const clientId = about === undefined ? headers.apikey : about.clientId;
  return typeof clientId === 'string' ? service.applications.peek(clientId)?.appId : undefined;
}

export function readExchanged(request: Asked, reply: Answering): Exchanged {
  const { about, body, headers, id, method, params, routeOptions, url } = request;
  return {
    method,
    url,
    route: routeOptions.url,
    params,
    status: reply.statusCode,
    milliseconds: reply.elapsedTime,
    requestId: id,
    ip: clientAddress(request),
    userAgent: headers['user-agent'],
    authorization: headers.authorization,
    userId: about?.userId,
    body: Buffer.isBuffer(body) ? body : undefined,
    answer: about?.answer instanceof WireText ? about.answer.toBuffer() : about?.answer,
  };
}
