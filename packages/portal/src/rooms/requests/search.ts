import { type Range, readRange } from '../../shell/range.ts';

export const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'failed'] as const;
export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** Stored in the URL, so that a view can be shared. */
export type RequestSearch = Range & {
  status?: (typeof STATUSES)[number];
  method?: (typeof METHODS)[number];
  code?: string;
  path?: string;
  userUid?: string;
  /** A clientUserId, or a UID. */
  user?: string;
  requestId?: string;
  /** The one whose details are open. */
  request?: string;
};

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Only valid filters are used, even from an edited URL. */
export function readRequestsSearch(search: Record<string, unknown>): RequestSearch {
  const text = (name: string, isGood: (value: string) => boolean) => {
    const value = search[name];
    const string = typeof value === 'number' ? String(value).padStart(4, '0') : value;
    return typeof string === 'string' && string !== '' && isGood(string) ? { [name]: string } : {};
  };
  return {
    ...text('status', (value) => (STATUSES as readonly string[]).includes(value)),
    ...text('method', (value) => (METHODS as readonly string[]).includes(value)),
    ...text('code', (value) => /^\d{4}$/.test(value)),
    ...text('path', (value) => value.length <= 255),
    ...text('user', (value) => value.length <= 255),
    ...text('requestId', (value) => /^[\w.:-]{1,128}$/.test(value)),
    ...readRange(search),
    ...text('userUid', (value) => UUID.test(value)),
    ...text('request', (value) => UUID.test(value)),
  };
}
