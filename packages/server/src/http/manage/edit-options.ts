import type { FastifyReply } from 'fastify';
import type { Edited, EditOptions } from '../../domain/catalog/edit-catalog.ts';
import { type ErrorName, InnkeeperError } from '../../domain/errors.ts';
import { Type } from '../../schema.ts';
import { readFlag, refuse } from './input.ts';
import type { ApplicationRequest } from './manage-route.ts';
import { viewPlan } from './views.ts';

export const AllowBreakingQuery = Type.Object({
  allow_breaking: Type.Optional(
    Type.Boolean({ description: 'publish even what breaks saved selections', default: false }),
  ),
});

export const IfMatchHeader = Type.Object({
  'If-Match': Type.String({ description: 'the ETag of the catalog that was changed, or * for whatever there is' }),
});

/** What every change to a catalog can be answered with. */
export const EDIT_ERRORS = [
  'ifMatchMissing',
  'catalogChanged',
  'catalogBreaking',
  'catalogInvalid',
] as const satisfies ErrorName[];

/** Whatever is to be published says what it was made from, so that two editors never overwrite each other unseen. */
export function readEditOptions({ request, manager, query }: ApplicationRequest): EditOptions {
  return {
    author: manager.author,
    allowBreaking: readFlag(query, 'allow_breaking'),
    expectedRevision: readIfMatch(request.headers['if-match']),
  };
}

function readIfMatch(header: string | undefined): number | undefined {
  const tag = header?.trim();
  if (tag === undefined || tag === '') throw new InnkeeperError('ifMatchMissing');
  if (tag === '*') return undefined;
  // A proxy that compresses may have made the tag a weak one; it means the same revision.
  const match = /^(?:W\/)?"(\d{1,9})"$/.exec(tag);
  if (!match) throw refuse('If-Match', 'must be one ETag of the catalog, such as "7", or *');
  return Number(match[1]);
}

/** What was published, with the ETag of the catalog as it is now. */
export function answerEdited(reply: FastifyReply, { revision, changed, plan }: Edited) {
  reply.header('etag', revisionTag(revision));
  return { revision, changed, ...viewPlan(plan) };
}

export function revisionTag(revision: number): string {
  return `"${revision}"`;
}
