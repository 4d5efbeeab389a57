import { isIPv6 } from 'node:net';
import { readUuid } from '../domain/users/user-code.ts';
import type { NewLoggedRequest } from '../storage/port.ts';
import { mask } from './logging.ts';
import { MASKED, maskAnswer, maskRequest, type ReadBody, readBody, shorten } from './masked-body.ts';
import { maskSentPath, readPath } from './masked-path.ts';

/** The unmasked data of a request, for the request log. */
export type SeenRequest = {
  requestUid: string;
  appId: number;
  at: number;
  method: string;
  url: string;
  route: string | undefined;
  params: unknown;
  status: number;
  code: string | undefined;
  milliseconds: number;
  requestId: string;
  ip: string;
  userAgent: string | undefined;
  authorization: string | undefined;
  /** The user that the route found the request to be about. */
  userId: string | undefined;
  body: Buffer | undefined;
  answer: unknown;
};

/** The part of it that comes from the request itself. */
export type Exchanged = Omit<SeenRequest, 'requestUid' | 'appId' | 'at' | 'code'>;

/** The form that may be stored: without secrets, and with personal data separate from the rest. */
export function toLoggedRequest(seen: SeenRequest): NewLoggedRequest {
  const path = readPath(seen.url, seen.route, seen.params);
  const body = readBody(seen.body);
  const answer = readBody(seen.answer);
  const request = maskRequest(seen.body, body);
  const answered = maskAnswer(seen.answer, answer, kindOf(seen));
  const bare = { path: maskSentPath(path, false), request: request.bare, answer: answered.bare };
  const userIds = new Set(
    [seen.userId, body?.user_uid, path.query.get('user_uid'), path.params.serviceUserCode, answer?.service_user_code]
      .map((id) => (typeof id === 'string' ? readUuid(id) : undefined))
      .filter((id) => id !== undefined),
  );
  // Data about several users is attached to none of them.
  const isOfOne = userIds.size <= 1;
  return {
    requestUid: seen.requestUid,
    appId: seen.appId,
    at: seen.at,
    method: seen.method,
    route: seen.route ?? null,
    status: seen.status,
    code: seen.code ?? null,
    milliseconds: Math.round(seen.milliseconds * 100) / 100,
    requestId: keepRequestId(seen.requestId),
    address: shortenAddress(seen.ip),
    userAgent: shorten(mask(seen.userAgent ?? ''), 200),
    credentials: kindOfCredentials(seen.authorization),
    userId: isOfOne ? ([...userIds][0] ?? null) : null,
    clientUserId: isOfOne ? clientUserIdOf(body) : null,
    full: isOfOne ? { path: maskSentPath(path, true), request: request.full, answer: answered.full } : bare,
    bare,
  };
}

function kindOf({ status, route }: SeenRequest): 'catalog' | 'user' | 'error' {
  if (status >= 400) return 'error';
  return route?.startsWith('/api/option_') ? 'catalog' : 'user';
}

/** A clientUserId that the rules accept; any other belongs to no user. */
function clientUserIdOf(body: ReadBody): string | null {
  const id = body?.clientUserId;
  if (typeof id !== 'string' || id.length === 0 || id.length > 255) return null;
  return id.includes('\u0000') || !id.isWellFormed() ? null : id;
}

function kindOfCredentials(authorization: string | undefined): NewLoggedRequest['credentials'] {
  const scheme = /^(basic|bearer) /i.exec(authorization ?? '')?.[1]?.toLowerCase();
  return (scheme as 'basic' | 'bearer' | undefined) ?? 'none';
}

/** Clients may choose it. A longer one may be a token in the wrong header. */
function keepRequestId(id: string): string {
  return id.length <= 40 ? id : MASKED;
}

/** Keeps the network, not the machine. */
function shortenAddress(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+)\.\d+$/i.exec(ip)?.[1] ?? /^(\d+\.\d+\.\d+)\.\d+$/.exec(ip)?.[1];
  if (mapped !== undefined) return `${mapped}.0/24`;
  if (!isIPv6(ip)) return '';
  const [head = ''] = ip.split('::');
  return `${head.split(':').filter(Boolean).slice(0, 3).join(':')}::/48`;
}
