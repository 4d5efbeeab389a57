import { isDeepStrictEqual } from 'node:util';
import type { ApplicationUpdate } from '../../storage/port.ts';
import { DURATION_FORM, parseDuration } from '../../time.ts';
import { TOKEN_ALGORITHMS, type TokenAlgorithm } from '../../tokens/port.ts';
import { readUuid } from '../../uuid.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { RATE_LIMIT_FORM, readRateLimit } from '../limits/rate-limit.ts';
import { displayNameProblem } from '../required.ts';
import { findNamedKey } from '../users/key-names.ts';
import { LOGO_FORM, readAccentColor, readLogo } from './look.ts';

/** The settings of an application, with defaults, meanings and allowed values. */
export type ApplicationSettings = {
  specialTokenTtl: number;
  accessTokenTtl: number;
  deleteNeedsCredentials: boolean;
  saveByUserUid: 'open' | 'secret' | 'off';
  tokenAlgorithm: TokenAlgorithm;
  tokenClaims: string[];
  allowedOrigins: string[];
  rateLimit: string;
  addressRateLimit: string;
  /** Days; 0: forever. */
  historyKept: number;
  /** Days; 0: no events are written. */
  eventsKept: number;
  /** '': the service's default. */
  accentColor: string;
  /** A data URL; '': none. */
  logo: string;
};

export type SettingName = keyof ApplicationSettings;

type SettingDefinition<T> = {
  default: T;
  describe: string;
  /**
   * The value, or why it is invalid: `got` is the invalid part of a list. Reads typed text, and returns stored values
   * unchanged.
   */
  read(value: unknown): { value: T } | { problem: string; got?: string };
};

export const SETTINGS: { [Name in SettingName]: SettingDefinition<ApplicationSettings[Name]> } = {
  specialTokenTtl: {
    default: 600,
    describe: 'lifetime of a special token, 1 minute to 7 days (10m, 2h, 7d)',
    read: (value) => readDuration(value, 60, 7 * 86_400, '1 minute', '7 days'),
  },
  accessTokenTtl: {
    default: 3600,
    describe: 'lifetime of an access token, 1 minute to 30 days (30m, 12h, 30d)',
    read: (value) => readDuration(value, 60, 30 * 86_400, '1 minute', '30 days'),
  },
  deleteNeedsCredentials: {
    default: true,
    describe: 'whether deleting a user requires credentials: true or false',
    read: (value) => {
      if (value === true || value === 'true') return { value: true };
      if (value === false || value === 'false') return { value: false };
      return { problem: 'must be true or false' };
    },
  },
  saveByUserUid: {
    default: 'open',
    describe: 'who can save selections by user_uid: open (anyone), secret (with the secret) or off',
    read: (value) =>
      value === 'open' || value === 'secret' || value === 'off'
        ? { value }
        : { problem: 'must be open, secret or off' },
  },
  tokenAlgorithm: {
    default: 'EdDSA',
    describe: 'signature algorithm of access tokens: EdDSA, RS256 or ES256',
    read: (value) => {
      const found = TOKEN_ALGORITHMS.find((each) => each === value);
      return found ? { value: found } : { problem: 'must be EdDSA, RS256 or ES256' };
    },
  },
  tokenClaims: {
    default: [],
    describe: 'option keys whose effective values are included in access tokens, comma-separated: group.key or UID',
    read: readClaims,
  },
  allowedOrigins: {
    default: [],
    describe: 'web origins allowed to call the options API, comma-separated, or * for all',
    read: readOrigins,
  },
  rateLimit: {
    default: 'default',
    describe: `rate limit of the application, counted separately for users and options: ${RATE_LIMIT_FORM}, or default for INNKEEPER_RATE_LIMIT`,
    read: (value) => (value === 'default' ? { value } : readLimit(value)),
  },
  addressRateLimit: {
    default: 'off',
    describe: `rate limit per IP address for the options API: ${RATE_LIMIT_FORM}`,
    read: readLimit,
  },
  historyKept: {
    default: 0,
    describe:
      'days that the history of selections is kept, 1 to 36500 (90d, 365d), or 0 for unlimited; never less than eventsKept',
    read: (value) => readDays(value === 'unlimited' ? 0 : value, MAX_HISTORY_DAYS, 'unlimited'),
  },
  // Statements that write events read the stored value directly, so it must be a number.
  eventsKept: {
    default: 30,
    describe: 'days that events are kept, 1 to 90 (7d, 90d), or 0 for no events',
    read: (value) => readDays(value, MAX_EVENT_DAYS, 'no events'),
  },
  accentColor: {
    default: '',
    describe:
      'colour of links and buttons on the preference page, such as #1f5fbf; adjusted where it would be hard to read',
    read: readAccentColor,
  },
  logo: {
    default: '',
    describe: `logo on the preference page: ${LOGO_FORM}, as a data URL`,
    read: readLogo,
  },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export function completeSettings(stored: Record<string, unknown>): ApplicationSettings {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const read = name in stored ? SETTINGS[name].read(withUnit(stored[name])) : undefined;
      return [name, read && 'value' in read ? read.value : SETTINGS[name].default];
    }),
  ) as ApplicationSettings;
}

/** For a rate limit stored before durations required a unit. */
function withUnit(stored: unknown): unknown {
  return typeof stored === 'string' && /^\d{1,9}\/\d{1,5}$/.test(stored) ? `${stored}s` : stored;
}

function readDuration(value: unknown, min: number, max: number, minText: string, maxText: string) {
  const seconds = parseDuration(value);
  if (seconds === undefined) return { problem: `must be ${DURATION_FORM}` };
  if (seconds < min || seconds > max) return { problem: `must be from ${minText} to ${maxText}` };
  return { value: seconds };
}

const MAX_HISTORY_DAYS = 36_500;
const MAX_EVENT_DAYS = 90;

/** A number of days; the unit is optional. */
function readDays(value: unknown, most: number, none: string): { value: number } | { problem: string } {
  const match = /^(\d{1,6})d?$/.exec(String(value));
  const days = typeof value === 'number' || typeof value === 'string' ? Number(match?.[1] ?? Number.NaN) : Number.NaN;
  return days <= most ? { value: days } : { problem: `must be a number of days, 1d to ${most}d, or 0 for ${none}` };
}

function readLimit(value: unknown): { value: string } | { problem: string } {
  return readRateLimit(value) ? { value: value as string } : { problem: `must be ${RATE_LIMIT_FORM}` };
}

/** More would not fit into a header. */
const MAX_CLAIMS = 20;

function readClaims(value: unknown): { value: string[] } | { problem: string } {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : undefined;
  if (!parts?.every((part) => typeof part === 'string')) return { problem: 'must be a list of option keys' };
  const names = parts.map((part) => part.trim()).filter((part) => part !== '');
  const keys = [...new Set(names.map((name) => readUuid(name) ?? name))];
  return keys.length > MAX_CLAIMS ? { problem: `must name at most ${MAX_CLAIMS} keys` } : { value: keys };
}

function readOrigins(value: unknown): { value: string[] } | { problem: string; got?: string } {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : undefined;
  if (!parts) return { problem: 'must be a list of origins' };
  const origins = new Set<string>();
  for (const part of parts) {
    const text = String(part).trim();
    if (text === '') continue;
    if (text !== '*' && !isOrigin(text))
      return { problem: 'must be a full origin, for example https://app.example.com', got: text };
    origins.add(text);
  }
  return { value: [...origins] };
}

/** With the longest name that a host can have. */
const MAX_ORIGIN = 300;

function isOrigin(text: string): boolean {
  const url = text.length > MAX_ORIGIN ? null : URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text;
}

export function allowsOrigin({ allowedOrigins }: ApplicationSettings, origin: string): boolean {
  return allowedOrigins.includes(origin) || allowedOrigins.includes('*');
}

/** A change to an application's name and settings; undefined resets a setting to its default. */
export type ApplicationChange = { name?: string; settings: Partial<Record<SettingName, unknown>> };

export type ChangeProblem = {
  field: string;
  /** Worded to follow the field's name. */
  message: string;
};

/**
 * Checks everything before anything is changed: returns the change, or every reason against it. An empty string or null
 * resets a setting; a name cannot be reset.
 */
export function readChange(
  wanted: Iterable<readonly [key: string, value: unknown]>,
): { change: ApplicationChange } | { problems: ChangeProblem[] } {
  const change: ApplicationChange = { settings: {} };
  const problems: ChangeProblem[] = [];
  const refuse = (field: string, message: string) => problems.push({ field, message });
  const seen = new Set<string>();
  for (const [key, value] of wanted) {
    if (seen.has(key)) refuse(key, 'is given twice');
    seen.add(key);
    if (key === 'name') {
      const problem = displayNameProblem(value);
      if (problem) refuse(key, problem);
      else change.name = value as string;
    } else if (isSettingName(key)) {
      const read = value === '' || value === null ? { value: undefined } : SETTINGS[key].read(value);
      if ('problem' in read) refuse(key, `${read.problem}; got ${quote(read.got ?? value)}`);
      else change.settings[key] = read.value;
    } else {
      refuse(key, 'is not a setting of an application');
    }
  }
  return problems.length > 0 ? { problems } : { change };
}

/** What to store and what to delete: only settings that differ from their default are stored. */
export function toUpdate({ name, settings }: ApplicationChange): ApplicationUpdate {
  const set: Record<string, unknown> = {};
  const reset: SettingName[] = [];
  for (const setting of SETTING_NAMES) {
    if (!(setting in settings)) continue;
    const value = settings[setting];
    if (value === undefined || isDeepStrictEqual(value, SETTINGS[setting].default)) reset.push(setting);
    else set[setting] = value;
  }
  return { ...(name !== undefined && { name }), set, reset };
}

const MAX_QUOTED = 200;

function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(SETTINGS, key);
}

/** Checks a change against the catalog: tokens can include only keys that exist. */
export function catalogProblems({ settings }: ApplicationChange, catalog: CompiledCatalog): ChangeProblem[] {
  const unknown = ((settings.tokenClaims ?? []) as string[]).filter((name) => {
    const found = findNamedKey(catalog, name);
    return !found || found === 'ambiguous' || found.key.archived;
  });
  return unknown.map((name) => ({ field: 'tokenClaims', message: `names no option key: "${name.slice(0, 100)}"` }));
}
