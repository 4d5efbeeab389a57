import type { paths } from './generated.ts';
import { allWithInnkeeperErrors } from './innkeeper-errors.ts';
import type { InputOf, OutputOf, PathsOf } from './operation.ts';
import { Pages } from './pages.ts';
import { createRequests, type RequestOptions, type Requests } from './request.ts';

export { type ErrorOf, type FieldProblem, InnkeeperError, isInnkeeperError, type OwnCode } from './error.ts';
export type { components } from './generated.ts';
export type { InputOf, OperationName, OutputOf } from './operation.ts';
export type { ApiResponse } from './request.ts';

/** Operations that return pages of a list. */
type ListPath = {
  [P in PathsOf<'get'>]: OutputOf<P, 'get'> extends { items: unknown[]; limit: number } ? P : never;
}[PathsOf<'get'>];

type ItemOf<P extends keyof paths> = OutputOf<P, 'get'> extends { items: (infer T)[] } ? T : never;

export type ManageClient = Requests & {
  /** `for await (const user of manage.list('/manage/v1/applications/{clientId}/users', { path: { clientId } }))` */
  list<P extends ListPath>(
    path: P,
    ...input: Record<never, never> extends InputOf<P, 'get'> ? [InputOf<P, 'get'>?] : [InputOf<P, 'get'>]
  ): Pages<ItemOf<P>>;
};

/** /manage/v1 for a program with a personal access token, or (without `token`) for the portal's own page. */
export function createManageClient(given: RequestOptions & { token?: string | undefined }): ManageClient {
  return allWithInnkeeperErrors(() => {
    const { token, headers, ...options } = given;
    const requests = createRequests({
      ...options,
      headers: {
        ...(token === undefined ? { 'X-Innkeeper-Portal': '1' } : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      credentials: token === undefined ? 'same-origin' : 'omit',
    });
    const get = requests.get as (path: string, input: object) => Promise<{ data: unknown }>;
    return {
      ...requests,
      list: (path: string, input: { query?: object } = {}) =>
        new Pages(
          async (place) => (await get(path, { ...input, query: { ...input.query, ...place }, due: 'items' })).data,
        ),
    } as ManageClient;
  });
}
