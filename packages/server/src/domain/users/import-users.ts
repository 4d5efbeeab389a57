import type { IfThere, ImportEntry, ImportOutcome, Storage } from '../../storage/port.ts';
import { orderedUuid } from '../../uuid.ts';
import { parseValues } from '../catalog/check-value.ts';
import { type CompiledCatalog, loadCompiledCatalog } from '../catalog/compile.ts';
import { pauses } from '../slices.ts';
import { createLineReader, type FileLine, type Held, LineRefused, type LineRules } from './import-line.ts';

type ImportResult = { outcome: 'done' | 'interrupted' | 'application-gone'; counts: ImportCounts };

/** Imports the users of a file, in batches; each line is imported completely or not at all. */
export async function importUsers(
  storage: Storage,
  appId: number,
  lines: AsyncIterable<readonly FileLine[]> | Iterable<readonly FileLine[]>,
  options: ImportOptions,
): Promise<ImportResult> {
  const catalog = options.catalog ?? (await loadCompiledCatalog(storage, appId));
  const readLine = createLineReader(catalog, { ...options, appId });
  const tryLine = (line: FileLine, held?: Held): ImportEntry | LineRefused => {
    try {
      return readLine(line, held);
    } catch (error) {
      if (error instanceof LineRefused) return error;
      throw error;
    }
  };

  const batches = new ImportBatches(storage, appId, options);
  const { counts } = batches;
  const seen = new SeenIds();
  for (const id of options.earlierIds ?? []) seen.add(id);
  const isOver = (): boolean => batches.applicationGone || options.signal?.aborted === true;
  const pause = pauses();
  for await (const some of lines) {
    for (const line of some) {
      if (isOver()) break;
      const paused = pause();
      if (paused) await paused;
      if ('text' in line && line.text.trim() === '') continue;
      counts.lines++;
      let entry = tryLine(line);
      if (entry instanceof LineRefused && entry.unlessHeld) {
        entry = tryLine(line, await readHeld(storage, appId, entry.clientUserId));
      }
      if (entry instanceof LineRefused) batches.reject(line, entry);
      else if (seen.add(entry.clientUserId)) await batches.putRepeated(line, entry);
      else if (batches.add(line, entry)) await batches.send();
    }
    if (isOver()) break;
    options.onProgress?.(counts);
  }
  await batches.finish();
  if (batches.applicationGone) return { outcome: 'application-gone', counts };
  return { outcome: options.signal?.aborted ? 'interrupted' : 'done', counts };
}

/** The user's current selections: retired values among them may be kept. */
async function readHeld(storage: Storage, appId: number, clientUserId: string | null): Promise<Held> {
  const user = clientUserId === null ? undefined : await storage.transfer.find(appId, clientUserId);
  return new Map(user?.selections.map(({ keyNo, value }) => [keyNo, parseValues(value)]));
}

/** Users per transaction, and about how many selections: enough to share a flush widely, and short enough for other writers. */
const BATCH = 1_000;
const BATCH_SELECTIONS = 5_000;
/** Batches in flight: while one is written, the next is read and checked. */
const IN_FLIGHT = { sqlite: 2, postgres: 3 };

export type ImportCounts = {
  /** Lines that were not blank. */
  lines: number;
  created: number;
  /** Users created for profiles that had none. */
  adopted: number;
  updated: number;
  unchanged: number;
  /** Selections that differ from their line and were kept because they are newer. */
  keptNewer: number;
  /** Existing users that were left alone. */
  skipped: number;
  /** Lines of deleted users, by their code: they stay deleted. */
  deletedSince: number;
  /** Profiles created without a user. */
  profilesOnly: number;
  rejected: number;
};

export type Rejection = {
  line: number;
  clientUserId: string | null;
  /** The code that the service would have returned. */
  code: string;
  field: string | null;
  reason: string;
  /** The line itself, if it could be read. */
  text: string | null;
};

export type ImportOptions = Omit<LineRules, 'appId'> & {
  ifThere: IfThere;
  /** The current catalog, if the caller has it. */
  catalog?: CompiledCatalog;
  /** Restore deleted users. */
  restoreDeleted?: boolean;
  withoutEvents?: boolean;
  /** For an import in several parts: its id in the audit log, and which clientUserIds of this part were in earlier ones. */
  importId?: string;
  earlierIds?: readonly string[];
  /** Stops between lines; everything read before is imported. */
  signal?: AbortSignal;
  onRejected(rejection: Rejection): void;
  onProgress?(counts: ImportCounts): void;
};

type Pending = { line: FileLine; entry: ImportEntry };

/** Sends entries to storage, a few batches at once, and records the result of each line. */
class ImportBatches {
  readonly #storage: Storage;
  readonly #appId: number;
  readonly #options: ImportOptions;
  readonly #importId: string;
  readonly #inFlight = new Set<Promise<void>>();
  #batch: Pending[] = [];
  #selections = 0;
  #failure: { error: unknown } | undefined;
  applicationGone = false;
  readonly counts: ImportCounts = {
    lines: 0,
    created: 0,
    adopted: 0,
    updated: 0,
    unchanged: 0,
    keptNewer: 0,
    skipped: 0,
    deletedSince: 0,
    profilesOnly: 0,
    rejected: 0,
  };

  constructor(storage: Storage, appId: number, options: ImportOptions) {
    this.#storage = storage;
    this.#appId = appId;
    this.#options = options;
    this.#importId = options.importId ?? orderedUuid();
  }

  /** True if the batch is full: call `send` then. */
  add(line: FileLine, entry: ImportEntry): boolean {
    this.#selections += entry.selections.length;
    return this.#batch.push({ line, entry }) >= BATCH || this.#selections >= BATCH_SELECTIONS;
  }

  /** Starts the batch as soon as enough others are done. */
  async send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#selections = 0;
    if (batch.length === 0) return;
    while (this.#inFlight.size >= IN_FLIGHT[this.#storage.kind]) await Promise.race(this.#inFlight);
    this.#throwFailure();
    const putting: Promise<void> = this.#put(batch, this.#options.ifThere)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(putting));
    this.#inFlight.add(putting);
  }

  /** A line whose clientUserId was on an earlier line: accepted only if that one failed. */
  async putRepeated(line: FileLine, entry: ImportEntry): Promise<void> {
    await this.finish();
    const [outcome] = await this.#import([entry], 'keep');
    if (outcome === undefined) return;
    if (outcome !== 'kept') this.#settle({ line, entry }, outcome);
    else this.reject(line, refused(entry, 'duplicateUser', 'clientUserId', 'is on an earlier line of this file'));
  }

  async finish(): Promise<void> {
    await this.send();
    await Promise.all(this.#inFlight);
    this.#throwFailure();
  }

  reject(line: FileLine, { code, field, message, clientUserId }: LineRefused): void {
    this.counts.rejected++;
    const text = 'text' in line ? line.text : null;
    this.#options.onRejected({
      line: line.line,
      clientUserId,
      code,
      field,
      reason: message,
      text,
    });
  }

  async #put(batch: readonly Pending[], ifThere: IfThere): Promise<void> {
    const entries = batch.map(({ entry }) => entry);
    const outcomes = await this.#import(entries, ifThere);
    for (const [index, outcome] of outcomes.entries()) this.#settle(batch[index] as Pending, outcome);
  }

  async #import(entries: readonly ImportEntry[], ifThere: IfThere): Promise<ImportOutcome[]> {
    const { at, restoreDeleted = false, withoutEvents = false } = this.#options;
    const change = { at, ifThere, importId: this.#importId, restoreDeleted, withoutEvents };
    const result = await this.#storage.transfer.importUsers(this.#appId, entries, change);
    if ('outcomes' in result) return result.outcomes;
    this.applicationGone = true;
    return [];
  }

  #settle({ line, entry }: Pending, outcome: ImportOutcome): void {
    const { counts } = this;
    if (typeof outcome === 'object' && 'keptNewer' in outcome) {
      counts[outcome.outcome]++;
      counts.keptNewer += outcome.keptNewer;
      return;
    }
    switch (outcome) {
      case 'profile-created':
        counts.profilesOnly++;
        break;
      case 'created':
      case 'adopted':
      case 'updated':
      case 'unchanged':
        counts[outcome]++;
        break;
      case 'kept':
        counts.skipped++;
        break;
      case 'deleted-since':
        counts.deletedSince++;
        break;
      default:
        this.reject(line, explain(entry, outcome));
    }
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

function explain(
  entry: ImportEntry,
  outcome: Extract<ImportOutcome, 'has-user' | 'user-id-taken' | { differsIn: unknown }>,
): LineRefused {
  if (outcome === 'has-user') {
    return refused(entry, 'duplicateUser', 'profileOnly', 'is not possible: a user with this clientUserId exists');
  }
  if (outcome === 'user-id-taken') {
    return refused(
      entry,
      'duplicateUser',
      'service_user_code',
      'belongs to another user; --new-codes creates new ones',
    );
  }
  const { differsIn } = outcome;
  if (differsIn === 'userId') {
    return refused(
      entry,
      'duplicateUser',
      'service_user_code',
      'is not the code of the user who has this clientUserId',
    );
  }
  const field = typeof differsIn === 'string' ? differsIn : `options[${differsIn}].value`;
  return refused(entry, 'duplicateUser', field, 'differs from the existing user; --update changes it');
}

function refused(entry: ImportEntry, error: LineRefused['error'], field: string, reason: string): LineRefused {
  const refusal = new LineRefused(error, field, reason);
  refusal.clientUserId = entry.clientUserId;
  return refusal;
}

/**
 * The clientUserIds seen in a file, in 16 to 32 bytes each: storing millions of texts would take too much memory.
 * Different ids may collide (two of five million, in one file of 700): `add` returns "perhaps" or "no".
 */
export class SeenIds {
  #slots = new Float64Array(1024);
  #count = 0;

  /** True if the id was perhaps added before. */
  add(id: string): boolean {
    const hash = hashOf(id);
    if (!insert(this.#slots, hash)) return true;
    this.#count++;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return false;
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const hash of this.#slots) if (hash !== 0) insert(larger, hash);
    this.#slots = larger;
  }
}

/** False if it is already there. The length of `slots` is a power of two; 0 is an empty slot. */
function insert(slots: Float64Array, hash: number): boolean {
  const mask = slots.length - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    if (slots[slot] === hash) return false;
    if (slots[slot] === 0) {
      slots[slot] = hash;
      return true;
    }
  }
}

/** 53 bits, never 0: two multiplicative 32-bit hashes, as in cyrb53. */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) || 1;
}
