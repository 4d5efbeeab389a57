import type { Service } from '../domain/service.ts';
import type { Exchanged } from '../monitoring/logged-request.ts';
import { type HttpReply, type HttpRequest, isStream } from './server/request-and-reply.ts';
import { WireText } from './server/wire-text.ts';

/** The application a request was for, if any. */
export function applicationOf({ about, headers }: HttpRequest, service: Service): number | undefined {
  if (about?.appId !== undefined) return about.appId;
  // A request that matched no route of an application, such as a mistyped path.
  const clientId = about === undefined ? headers.apikey : about.clientId;
  return typeof clientId === 'string' ? service.applications.peek(clientId)?.appId : undefined;
}

export function readExchanged(request: HttpRequest, reply: HttpReply): Exchanged {
  const { about, body, headers, id, method, params, route, url } = request;
  return {
    method,
    url,
    route: route?.path,
    params,
    status: reply.statusCode,
    milliseconds: request.milliseconds,
    requestId: id,
    ip: request.address,
    userAgent: headers['user-agent'],
    authorization: headers.authorization,
    userId: about?.userId,
    body: Buffer.isBuffer(body) ? body : undefined,
    answer:
      about && (reply.body instanceof WireText ? reply.body.toBuffer() : isStream(reply.body) ? undefined : reply.body),
  };
}
