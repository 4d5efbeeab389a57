import { GROUP, KEY_NAMES, valuesOf } from '../bench/catalog.ts';
import type { NewApplication } from '../packages/server/src/domain/applications/create-application.ts';
import { basic, bearer, uniqueName } from '../packages/server/test/http/start.ts';
import { keepAliveAgent, type Outcome, send } from '../packages/server/test/operations/load.ts';

/** What a client knows: it was told, or its request may or may not have been carried out. */
export type Knowledge = 'yes' | 'no' | 'perhaps';

/** One user, as far as the client that created it knows. */
export type Guest = {
  name: string;
  exists: Knowledge;
  /** Issued and not tried yet. */
  specialToken?: string;
  code?: string;
  accessToken?: string;
  /** By key number: the values it may have; undefined: perhaps none. */
  selections: Map<number, unknown[]>;
};

export type Counts = { acknowledged: number; refused: number; unknown: number };

/** A service, its application and its catalog. The address changes when it is restarted. */
export type Place = { url: string; application: NewApplication; group: string; keys: string[] };

export async function openPlace(url: string, application: NewApplication): Promise<Place> {
  const answer = await fetch(`${url}/api/option_keys?option_group_name=${GROUP}&limit=200`, {
    headers: { apiKey: application.clientId },
  });
  const { items } = (await answer.json()) as { items: Record<string, string>[] };
  const keys = KEY_NAMES.map((name) => items.find((item) => item.name === name)?.option_key_uid ?? '');
  return { url, application, group: items[0]?.option_group_uid ?? '', keys };
}

/**
 * A client with one connection and its own users. Every action has one of three outcomes: acknowledged (2xx), refused
 * (another response, or nobody was listening) or unknown: no response, or one that does not say whether it was done
 * (5xx).
 */
export class Client {
  readonly guests: Guest[] = [];
  readonly counts: Counts = { acknowledged: 0, refused: 0, unknown: 0 };
  /** Responses with 429 or 503 but without Retry-After. */
  withoutRetryAfter = 0;
  readonly #place: Place;
  readonly #agent = keepAliveAgent();
  readonly #patienceMs: number | undefined;

  constructor(place: Place, patienceMs?: number) {
    this.#place = place;
    this.#patienceMs = patienceMs;
  }

  close(): void {
    this.#agent.destroy();
  }

  async create(): Promise<Guest> {
    const guest: Guest = { name: uniqueName(), exists: 'no', selections: new Map() };
    this.guests.push(guest);
    await this.recreate(guest);
    return guest;
  }

  async recreate(guest: Guest): Promise<Outcome> {
    const { clientId, clientSecret } = this.#place.application;
    const body = { clientId, clientSecret, clientUserId: guest.name, clientUserName: 'Ada' };
    const outcome = await this.#act('POST', '/api/v2/app/create-user', body);
    this.#count(outcome);
    if (isUnknown(outcome)) guest.exists = 'perhaps';
    if (isDone(outcome)) {
      guest.exists = 'yes';
      guest.specialToken = String(outcome.body.specialToken);
    }
    return outcome;
  }

  async exchange(guest: Guest): Promise<Outcome> {
    const { clientSecret } = this.#place.application;
    const { specialToken } = guest;
    const outcome = await this.#act('POST', '/oauth/v2/get-access-token', { clientSecret, specialToken });
    this.#count(outcome);
    if (isDone(outcome)) {
      guest.code = String(outcome.body.service_user_code);
      guest.accessToken = String(outcome.body.access_token);
    }
    if (isDone(outcome) || isUnknown(outcome)) delete guest.specialToken;
    return outcome;
  }

  /** Saves the other of the key's two values, or the first. */
  async save(guest: Guest, key: number): Promise<Outcome> {
    const { group, keys, application } = this.#place;
    const known = guest.selections.get(key) ?? [undefined];
    const [one, other] = valuesOf(key);
    const value = known.at(-1) === one ? other : one;
    const body = { user_uid: guest.code, option_group_uid: group, option_key_uid: keys[key], value: [value] };
    const outcome = await this.#act('POST', '/api/user_options', body, { apiKey: application.clientId });
    if (this.#count(outcome) === 'acknowledged') guest.selections.set(key, [value]);
    else if (isUnknown(outcome)) guest.selections.set(key, [...known, value]);
    return outcome;
  }

  read(guest: Guest): Promise<Outcome> {
    const headers = { apiKey: this.#place.application.clientId, ...bearer(guest.accessToken ?? '') };
    return this.#act('GET', '/api/user_options?limit=200', undefined, headers);
  }

  async remove(guest: Guest): Promise<Outcome> {
    const path = `/api/v2/app/${this.#place.application.clientId}/users/${guest.code}`;
    const outcome = await this.#act('DELETE', path, undefined, basic(this.#place.application));
    if (this.#count(outcome) === 'acknowledged') guest.exists = 'no';
    else if (isUnknown(outcome)) guest.exists = 'perhaps';
    return outcome;
  }

  /** A new special token for an existing user: the way to find out whether it exists. */
  async ask(guest: Guest): Promise<Outcome> {
    const { clientId, clientSecret } = this.#place.application;
    return this.#act('POST', '/api/v2/app/special-token', { clientId, clientSecret, clientUserId: guest.name });
  }

  #act(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Outcome> {
    const patience = this.#patienceMs === undefined ? {} : { patienceMs: this.#patienceMs };
    return send(method, this.#place.url + path, body, { agent: this.#agent, headers, ...patience });
  }

  #count(outcome: Outcome): keyof Counts {
    const kind = isDone(outcome) ? 'acknowledged' : isUnknown(outcome) ? 'unknown' : 'refused';
    this.counts[kind]++;
    if (outcome.kind === 'answered' && [429, 503].includes(outcome.status) && !outcome.headers['retry-after']) {
      this.withoutRetryAfter++;
    }
    return kind;
  }
}

export type Done = Extract<Outcome, { kind: 'answered' }>;

export function isDone(outcome: Outcome): outcome is Done {
  return outcome.kind === 'answered' && outcome.status < 300;
}

/** A timeout, a broken connection, or a response that leaves it open. */
export function isUnknown(outcome: Outcome): boolean {
  return outcome.kind === 'dropped' || (outcome.kind === 'answered' && outcome.status >= 500);
}

export function describe(outcome: Outcome): string {
  if (outcome.kind === 'answered') return `HTTP ${outcome.status} ${JSON.stringify(outcome.body).slice(0, 200)}`;
  return outcome.kind === 'dropped' ? `no answer (${outcome.error.message})` : 'connection refused';
}
