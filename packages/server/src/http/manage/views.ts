import { type Application, fingerprintOf, isLive } from '../../domain/applications/application.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { findMissingTexts } from '../../domain/catalog/plan.ts';
import { type CountedPlan, type ReadableChange, readableDifference } from '../../domain/catalog/publish.ts';
import type { Revision } from '../../domain/catalog/revisions.ts';
import { type Access, includesAccess } from '../../domain/manage/access.ts';
import type { DescribedOption } from '../../domain/selections/effective.ts';
import { recordTag } from '../../domain/selections/save-selections.ts';
import { inSlices } from '../../domain/slices.ts';
import { emailOf } from '../../domain/users/email.ts';
import type {
  AccessTokenRecord,
  DraftEdit,
  DraftName,
  DraftRecord,
  SecretUse,
  SelectionEvent,
  UserRecord,
} from '../../storage/port.ts';
import { formatTime } from '../../time.ts';

export function viewSecrets({ secrets }: Application, uses: readonly SecretUse[], now: number) {
  const lastUsed = new Map(uses.map(({ secretHash, lastUsedAt }) => [secretHash, lastUsedAt]));
  return secrets
    .filter((secret) => isLive(secret, now))
    .map(({ secretHash, createdAt, expiresAt }) => {
      const lastUsedAt = lastUsed.get(secretHash) ?? null;
      return {
        fingerprint: fingerprintOf(secretHash),
        createdAt: formatTime(createdAt),
        expiresAt: expiresAt === null ? null : formatTime(expiresAt),
        lastUsedAt: lastUsedAt === null ? null : formatTime(lastUsedAt),
      };
    });
}

export function viewRevision({ revision, author, authors, createdAt, changes, note }: Revision) {
  const when = { createdAt: formatTime(createdAt), ...(note !== undefined && { note }) };
  return { revision, author, authors, ...when, changes };
}

export async function viewPlan({ changes, breaking, notes, next }: CountedPlan) {
  const readable = await inSlices(readableDifference(changes));
  return { changes: readable, breaking, notes, missing: await inSlices(findMissingTexts(next)) };
}

export function viewUser({ userId, clientUserId, clientUserName, status, createdAt, updatedAt }: UserRecord) {
  return {
    userUid: userId,
    clientUserId,
    clientUserName,
    email: emailOf(clientUserId),
    status,
    createdAt: formatTime(createdAt),
    updatedAt: formatTime(updatedAt),
  };
}

export function viewAccessToken({ tokenId, issuedAt, expiresAt }: AccessTokenRecord) {
  return { tokenId, issuedAt: formatTime(issuedAt), expiresAt: formatTime(expiresAt) };
}

export function viewOption({ placed: { key, group }, value, record }: DescribedOption) {
  return {
    groupUid: group.groupUid,
    groupName: group.name,
    keyUid: key.keyUid,
    keyName: key.name,
    valueType: key.type,
    archived: key.archived,
    value,
    isDefault: record === undefined,
    userOptionsUid: record?.selectionId ?? null,
    revision: record?.revision ?? null,
    language: record?.language ?? null,
    texts: record?.texts ? (JSON.parse(record.texts) as Record<string, string | string[]>) : null,
    etag: record ? `"${recordTag(record)}"` : null,
    createdAt: record ? formatTime(record.createdAt) : null,
    updatedAt: record ? formatTime(record.updatedAt) : null,
  };
}

export function viewEvent(catalog: CompiledCatalog, event: SelectionEvent) {
  const placed = catalog.keyByNo.get(event.keyNo);
  return {
    at: formatTime(event.at),
    action: event.toValue === null ? 'unset' : 'save',
    by: event.authMethod,
    actor: event.actor,
    language: event.language,
    userOptionsUid: event.selectionId,
    groupUid: placed?.group.groupUid ?? null,
    groupName: placed?.group.name ?? null,
    keyUid: placed?.key.keyUid ?? null,
    keyName: placed?.key.name ?? null,
    fromValue: event.fromValue === null ? null : JSON.parse(event.fromValue),
    toValue: event.toValue === null ? null : JSON.parse(event.toValue),
  };
}

/**
 * The tag of one version of a draft. It includes the base revision for clients that return after the draft was
 * published or discarded.
 */
export function draftTag({ baseRevision, draftId, version }: DraftName & Pick<DraftRecord, 'baseRevision'>): string {
  return `"${baseRevision}-${draftId}-${version}"`;
}

export function viewDraft(draft: DraftRecord) {
  const { draftId, version, baseRevision, createdBy, createdAt, updatedBy, updatedAt } = draft;
  return {
    draftId,
    version,
    etag: draftTag(draft),
    baseRevision,
    createdBy,
    createdAt: formatTime(createdAt),
    updatedBy,
    updatedAt: formatTime(updatedAt),
  };
}

export function viewEdit({ version, kind, author, at, difference }: DraftEdit) {
  return { version, kind, author, at: formatTime(at), changes: JSON.parse(difference) as ReadableChange[] };
}

/** Members that name who did something, or to whom. */
const WHO: ReadonlySet<string> = new Set(['actor', 'subject', 'author', 'authors', 'by', 'createdBy', 'updatedBy']);

/** Viewers and translators see the names of other members, but not their addresses (decision 28). */
export function hidesAddresses(held: Access | undefined): boolean {
  return !includesAccess(held, 'write');
}

/** A member of a response, with `ada@…` in place of an account's address. */
export function withoutAddress(name: string, member: unknown): unknown {
  if (!WHO.has(name)) return member;
  return Array.isArray(member) ? member.map(shortened) : shortened(member);
}

function shortened(who: unknown): unknown {
  return typeof who === 'string' ? who.replace(/^([^@\s]+)@[^@\s]+$/, '$1@…') : who;
}
