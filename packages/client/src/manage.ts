import { createRequests, type RequestOptions, type Requests } from './request.ts';

export { type FieldProblem, InnkeeperError, isInnkeeperError } from './error.ts';
export type { components } from './generated.ts';
export type { InputOf, OutputOf } from './operation.ts';
export type { Answer } from './request.ts';

export type ManageClient = Requests;

/** /manage/v1 for a program with a personal access token, or (`token` left out) for the portal's own page. */
export function createManageClient({
  token,
  headers,
  ...options
}: RequestOptions & { token?: string | undefined }): ManageClient {
  return createRequests({
    ...options,
    headers: {
      ...(token === undefined ? { 'X-Innkeeper-Portal': '1' } : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    credentials: token === undefined ? 'same-origin' : 'omit',
  });
}
