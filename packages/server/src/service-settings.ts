import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { RATE_LIMIT_FORM } from './domain/limits/rate-limit.ts';
import { behindLinks } from './file-names.ts';
import type { DatabasePlace } from './secret-file.ts';
import { parseDuration } from './time.ts';

/**
 * Every setting is INNKEEPER_NAME in the environment or --name on the command line. A setting with a secret can also be
 * INNKEEPER_NAME_FILE, the path of a file that contains it.
 */
export const SETTINGS = {
  port: { default: '8080', describe: 'TCP port that the service listens on; 0 for any free port' },
  host: { default: '127.0.0.1', describe: 'address that the service listens on; 0.0.0.0 for every interface' },
  databaseUrl: { default: 'sqlite:./data/innkeeper.db', describe: 'sqlite:PATH or postgres://…', secret: true },
  databaseWait: {
    default: '60s',
    describe: 'with PostgreSQL, how long the service waits at startup for a database that cannot be reached: 0s to 1h',
  },
  secret: {
    default: '',
    describe: 'key for hashing and encryption; with SQLite, created and stored next to the database',
    secret: true,
  },
  secretPrevious: {
    default: '',
    describe: 'the previous secret, during a rotation: see `innkeeper secret rotate`',
    secret: true,
  },
  publicUrl: { default: '', describe: 'public URL of the service, for example https://users.example.com' },
  serve: { default: 'users,options,portal', describe: 'areas this process serves' },
  tokenServiceUrl: { default: '', describe: 'OAuth 2.0 server that issues access tokens (default: embedded)' },
  tokenServiceClientId: { default: '', describe: 'client id at this server' },
  tokenServiceClientSecret: { default: '', describe: 'client secret at this server', secret: true },
  workers: { default: '1', describe: 'processes that share the port' },
  logLevel: { default: 'info', describe: 'trace, debug, info, warn, error, fatal or silent' },
  metricsToken: { default: '', describe: 'Bearer token for /metrics from other machines', secret: true },
  trustedProxies: {
    default: '',
    describe: 'IP addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted, comma-separated',
  },
  rateLimit: {
    default: 'off',
    describe: `default rate limit per application: ${RATE_LIMIT_FORM}`,
  },
  addressRateLimit: { default: 'off', describe: `rate limit per client IP address: ${RATE_LIMIT_FORM}` },
  streams: { default: '10000', describe: 'maximum open event streams per process' },
  streamsPerApplication: { default: '5000', describe: 'maximum open event streams per application and process' },
  cache: {
    default: '64 MiB',
    describe: 'memory for cached catalog responses of all applications, in KiB, MiB or GiB',
  },
  requestLog: {
    default: 'on',
    describe: 'keep the latest requests of each application, masked, for the portal: on or off',
  },
  webhooksAllow: {
    default: '',
    describe: 'private IP addresses or CIDR ranges that webhooks can reach, also over http, comma-separated',
  },
  smtpUrl: {
    default: '',
    describe: 'mail server: smtp://USER:PASSWORD@HOST:587 or smtps://… (default: no mail; links are shown to copy)',
    secret: true,
  },
  mailFrom: { default: '', describe: 'sender of mail, for example Innkeeper <innkeeper@example.com>' },
  oidcIssuer: { default: '', describe: 'issuer of the OpenID provider for sign-in to the portal' },
  oidcClientId: { default: '', describe: 'client id at this provider' },
  oidcClientSecret: { default: '', describe: 'client secret at this provider', secret: true },
  oidcName: { default: '', describe: 'name of this provider on the sign-in page (default: its host)' },
  oidcScope: { default: 'openid email profile', describe: 'scopes to request' },
  oidcDomains: {
    default: '',
    describe: 'domains whose verified e-mail addresses get an account on their first sign-in, comma-separated',
  },
  oidcRolesClaim: { default: '', describe: 'claim that names groups or roles, for example groups' },
  oidcRoles: {
    default: '',
    describe: 'what the values of this claim grant, comma-separated: VALUE=administrator or VALUE=CLIENTID:ROLE',
  },
  passwords: { default: 'on', describe: 'sign-in to the portal with passwords: on, or off with an OpenID provider' },
  pageTexts: {
    default: '',
    describe: 'JSON file with texts of the preference page in additional languages',
  },
  scrub: {
    default: 'off',
    describe: 'how often to erase remains of deleted data from the SQLite file: off, or 1h to 365d, for example 7d',
  },
} as const satisfies Record<string, { default: string; describe: string; secret?: true }>;

/** For commands that can work on a remote service. */
export const REMOTE_SETTINGS = {
  url: { describe: 'URL of a remote service to manage over HTTP, instead of a database' },
  token: { describe: 'personal access token for the remote service' },
} as const;

export type SettingName = keyof typeof SETTINGS;
export const ALL_SETTINGS = Object.keys(SETTINGS) as SettingName[];
export type Settings = Partial<Record<SettingName | keyof typeof REMOTE_SETTINGS, string>>;
export type Area = 'users' | 'options' | 'portal';

export const AREAS: readonly Area[] = ['users', 'options', 'portal'];

export const PREFIX = 'INNKEEPER_';

export function environmentName(name: SettingName | keyof typeof REMOTE_SETTINGS): string {
  return `${PREFIX}${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export function flagName(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The name most likely meant by a typo; undefined if less than two thirds of what follows the prefix match. */
export function nearestName(typed: string, names: readonly string[], prefix: string): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, edits: editsBetween(typed, name) }))
    .sort((one, other) => one.edits - other.edits);
  return nearest && nearest.edits <= (nearest.name.length - prefix.length) / 3 ? nearest.name : undefined;
}

/** Levenshtein distance: letters to add, remove or replace to turn one text into the other. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

export function readInteger(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

/** A number of KiB, MiB or GiB, at least 0. */
export function readBytes(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,7}) ?(KiB|MiB|GiB)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  return Number(number) * 1024 ** (['KiB', 'MiB', 'GiB'].indexOf(unit as string) + 1);
}

export function readSwitch(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined;
}

/**
 * SQLite keeps its write-ahead log next to the real file, so every part of the service uses the path behind the links.
 */
export function readDatabasePlace(text: string): DatabasePlace | undefined {
  if (/^postgres(ql)?:\/\/./.test(text)) return { databaseUrl: text, databaseLink: undefined };
  if (text === 'sqlite::memory:' || !/^sqlite:./.test(text)) return undefined;
  const given = resolve(text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''));
  try {
    const path = behindLinks(given);
    return { databaseUrl: `sqlite:${path}`, databaseLink: path === given ? undefined : given };
  } catch {
    // For example, the folder cannot be read, or links form a loop: opening the file reports it.
    return { databaseUrl: `sqlite:${given}`, databaseLink: undefined };
  }
}

export function readScrub(text: string): number | 'off' | undefined {
  if (text === 'off') return text;
  const seconds = /\d[hd]$/.test(text) ? parseDuration(text) : undefined;
  return seconds !== undefined && seconds >= 3600 && seconds <= 365 * 86_400 ? seconds * 1000 : undefined;
}

export function readWait(text: string): number | undefined {
  const seconds = parseDuration(text);
  return seconds !== undefined && seconds <= 3600 ? seconds * 1000 : undefined;
}

export function readPublicUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined;
  return url.href.replace(/\/$/, '');
}

export function readAreas(text: string): Set<Area> | undefined {
  const names = readList(text);
  const areas = new Set(AREAS.filter((area) => names.includes(area)));
  return names.length > 0 && names.every((name) => areas.has(name as Area)) ? areas : undefined;
}

export function readNetworks(text: string): string[] | undefined {
  const networks = readList(text);
  const isNetwork = (network: string): boolean => {
    const [address = '', bits, ...more] = network.split('/');
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      more.length === 0 &&
      longest > 0 &&
      !address.includes('%') &&
      (bits === undefined || readInteger(bits, 0, longest) !== undefined)
    );
  };
  return networks.every(isNetwork) ? networks : undefined;
}

export function readList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}
