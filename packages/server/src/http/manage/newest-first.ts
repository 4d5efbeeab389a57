import { Type } from '../../schema.ts';
import { pageOf } from './input.ts';
import { LimitQuery, Nullable } from './schemas.ts';

/** Lists that grow at their beginning are paged by the last one seen: nothing shifts, nothing is counted. */
export const NewestFirstQuery = {
  after: Type.Optional(Type.String({ format: 'uuid', description: '`next` of the previous page' })),
  ...LimitQuery,
};

export const NewestFirstMembers = {
  limit: Type.Integer(),
  next: Nullable(Type.String({ format: 'uuid', description: 'send it as `after` for the next page; null: last page' })),
};

export function newestFirst({ after = null, limit }: { after?: string | null; limit?: number }) {
  return { before: after, limit: pageOf({ limit }).limit };
}
