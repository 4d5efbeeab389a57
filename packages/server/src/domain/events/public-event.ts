import type { EventType, StoredEvent } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import type { Service } from '../service.ts';
import { pauses } from '../slices.ts';

/** The public form in feeds, streams and webhooks. */
export type PublicEvent = {
  /** Derived from its number: the same in every delivery. */
  id: string;
  type: EventType;
  timestamp: string;
  clientId: string;
  data: Record<string, unknown>;
};

/** An event with what its delivery needs: its position, and its user. */
export type FeedItem = { no: number; userId: string | null; event: PublicEvent };

type Catalogs = Pick<Service, 'catalogs'>;

/** With the names in the catalog of that time. For a user deleted since, only ids are left. */
export async function toPublicEvents(
  { catalogs }: Catalogs,
  { appId, clientId }: Pick<Application, 'appId' | 'clientId'>,
  events: readonly StoredEvent[],
): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  const pause = pauses();
  for (const stored of events) {
    const { no, type, at, userId, selection } = stored;
    const then = selection ? catalogs.getAt(appId, selection.revision) : undefined;
    const catalog = then instanceof Promise ? await then : then;
    const data = dataOf(stored, catalog);
    items.push({ no, userId, event: { id: eventId(no), type, timestamp: new Date(at).toISOString(), clientId, data } });
    const paused = pause();
    if (paused) await paused;
  }
  return items;
}

export function eventId(no: number): string {
  return `evt_${no.toString(32).padStart(13, '0')}`;
}

/** The number of an id written by eventId(). */
export function readEventId(id: string): number | undefined {
  if (!/^evt_[0-9a-v]{13}$/.test(id)) return undefined;
  // A larger number is no event's.
  return Math.min(Number.parseInt(id.slice('evt_'.length), 32), Number.MAX_SAFE_INTEGER);
}

function dataOf({ userId, user, selection, published }: StoredEvent, catalog?: CompiledCatalog): PublicEvent['data'] {
  if (published) return published;
  if (!selection) return { service_user_code: userId, ...user };
  const { selectionId, keyNo, revision, change } = selection;
  const { key, group } = catalog?.keyByNo.get(keyNo) ?? {};
  const ids = {
    ...{ user_options_uid: selectionId, user_uid: userId },
    ...{ option_group_uid: group?.groupUid ?? null, option_key_uid: key?.keyUid ?? null },
  };
  if (!change) return ids;
  const { authMethod, fromValue, toValue } = change;
  return {
    ...{ ...ids, group: group?.name ?? null, option: key?.name ?? null },
    ...{ value: readValue(toValue), previous: readValue(fromValue), revision, by: authMethod },
  };
}

function readValue(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}

/** Length of the truncated hash: no one can try 2^64 of them against a service. */
const MAC_CHARACTERS = 16;

/** A position for clients, signed for the application so that it reveals nothing about another's events. */
export function writeCursor(keyring: Keyring, application: Pick<Application, 'appId'>, no: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(no));
  return Buffer.concat([bytes, Buffer.from(macOf(keyring, application, no), 'hex')]).toString('base64url');
}

/** Throws cursorInvalid with the reason. `name` is the parameter or header it came in. */
export function readCursor(
  keyring: Keyring,
  application: Pick<Application, 'appId'>,
  text: string,
  name: string,
): number {
  if (!/^[\w-]{22}$/.test(text)) throw invalid(`${name} is not a cursor.`);
  const no = Number(Buffer.from(text, 'base64url').readBigUInt64BE());
  if (!Number.isSafeInteger(no) || writeCursor(keyring, application, no) !== text) {
    throw invalid(`${name} is a cursor of another application or service.`);
  }
  return no;
}

function macOf(keyring: Keyring, { appId }: Pick<Application, 'appId'>, no: number): string {
  return keyring.hashCursor(`${appId} ${no}`).slice(0, MAC_CHARACTERS);
}

function invalid(message: string): InnkeeperError {
  return new InnkeeperError('cursorInvalid', { message });
}
