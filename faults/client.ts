import { GROUP, KEY_NAMES, valuesOf } from '../bench/catalog.ts';
import type { NewApplication } from '../packages/server/src/domain/applications/application.ts';
import { basic, bearer, uniqueName } from '../packages/server/test/http/start.ts';
import { keepAliveAgent, type Outcome, send } from '../packages/server/test/operations/load.ts';

/** Whether something was done, as far as the client knows: `perhaps` after a request without a response. */
export type Certainty = 'yes' | 'no' | 'perhaps';

/** One user, as far as the client that created it knows. */
export type TestUser = {
  name: string;
  exists: Certainty;
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
  const response = await fetch(`${url}/api/option_keys?option_group_name=${GROUP}&limit=200`, {
    headers: { apiKey: application.clientId },
  });
  const { items } = (await response.json()) as { items: Record<string, string>[] };
  const keys = KEY_NAMES.map((name) => items.find((item) => item.name === name)?.option_key_uid ?? '');
  return { url, application, group: items[0]?.option_group_uid ?? '', keys };
}

/**
 * A client with one connection and its own users. Every action has one of three outcomes: acknowledged (2xx), refused
 * (another response, or nobody was listening) or unknown: no response, or one that does not say whether it was done
 * (5xx).
 */
export class Client {
  readonly users: TestUser[] = [];
  readonly counts: Counts = { acknowledged: 0, refused: 0, unknown: 0 };
  /** Responses with 429 or 503 but without Retry-After. */
  withoutRetryAfter = 0;
  readonly #place: Place;
  readonly #agent = keepAliveAgent();
  readonly #timeoutMs: number | undefined;

  constructor(place: Place, timeoutMs?: number) {
    this.#place = place;
    this.#timeoutMs = timeoutMs;
  }

  close(): void {
    this.#agent.destroy();
  }

  async create(): Promise<TestUser> {
    const user: TestUser = { name: uniqueName(), exists: 'no', selections: new Map() };
    this.users.push(user);
    await this.recreate(user);
    return user;
  }

  async recreate(user: TestUser): Promise<Outcome> {
    const { clientId, clientSecret } = this.#place.application;
    const body = { clientId, clientSecret, clientUserId: user.name, clientUserName: 'Ada' };
    const outcome = await this.#act('POST', '/api/v2/app/create-user', body);
    this.#count(outcome);
    if (isUnknown(outcome)) user.exists = 'perhaps';
    if (isDone(outcome)) {
      user.exists = 'yes';
      user.specialToken = String(outcome.body.specialToken);
    }
    return outcome;
  }

  async exchange(user: TestUser): Promise<Outcome> {
    const { clientSecret } = this.#place.application;
    const { specialToken } = user;
    const outcome = await this.#act('POST', '/oauth/v2/get-access-token', { clientSecret, specialToken });
    this.#count(outcome);
    if (isDone(outcome)) {
      user.code = String(outcome.body.service_user_code);
      user.accessToken = String(outcome.body.access_token);
    }
    if (isDone(outcome) || isUnknown(outcome)) delete user.specialToken;
    return outcome;
  }

  /** Saves the other of the key's two values, or the first. */
  async save(user: TestUser, key: number): Promise<Outcome> {
    const { group, keys, application } = this.#place;
    const known = user.selections.get(key) ?? [undefined];
    const [one, other] = valuesOf(key);
    const value = known.at(-1) === one ? other : one;
    const body = { user_uid: user.code, option_group_uid: group, option_key_uid: keys[key], value: [value] };
    const outcome = await this.#act('POST', '/api/user_options', body, { apiKey: application.clientId });
    if (this.#count(outcome) === 'acknowledged') user.selections.set(key, [value]);
    else if (isUnknown(outcome)) user.selections.set(key, [...known, value]);
    return outcome;
  }

  read(user: TestUser): Promise<Outcome> {
    const headers = { apiKey: this.#place.application.clientId, ...bearer(user.accessToken ?? '') };
    return this.#act('GET', '/api/user_options?limit=200', undefined, headers);
  }

  async remove(user: TestUser): Promise<Outcome> {
    const path = `/api/v2/app/${this.#place.application.clientId}/users/${user.code}`;
    const outcome = await this.#act('DELETE', path, undefined, basic(this.#place.application));
    if (this.#count(outcome) === 'acknowledged') user.exists = 'no';
    else if (isUnknown(outcome)) user.exists = 'perhaps';
    return outcome;
  }

  /** A new special token for an existing user: the way to find out whether it exists. */
  async ask(user: TestUser): Promise<Outcome> {
    const { clientId, clientSecret } = this.#place.application;
    return this.#act('POST', '/api/v2/app/special-token', { clientId, clientSecret, clientUserId: user.name });
  }

  #act(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Outcome> {
    const limit = this.#timeoutMs === undefined ? {} : { timeoutMs: this.#timeoutMs };
    return send(method, this.#place.url + path, body, { agent: this.#agent, headers, ...limit });
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
  return outcome.kind === 'dropped' ? `no response (${outcome.error.message})` : 'connection refused';
}
