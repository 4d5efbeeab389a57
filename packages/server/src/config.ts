import { readFileSync } from 'node:fs';
import { isLoopback } from './addresses.ts';
import { codeOf } from './caught.ts';
import { type OidcRules, readGrant } from './domain/accounts/oidc-settings.ts';
import { RATE_LIMIT_FORM, type RateLimit, readRateLimit } from './domain/limits/rate-limit.ts';
import { type PageTexts, readPageTexts } from './domain/preferences/page-texts.ts';
import { isEmail } from './domain/users/email.ts';
import { type MailSettings, readMail } from './mail/mail-settings.ts';
import { PACKAGE_ROOT } from './package.ts';
import { findSecret, keepSecret, readPreviousSecret, secretPath } from './secret-file.ts';
import {
  ALL_SETTINGS,
  AREAS,
  type Area,
  environmentName,
  nearestName,
  PREFIX,
  readAreas,
  readBytes,
  readDatabasePlace,
  readInteger,
  readList,
  readNetworks,
  readPublicUrl,
  readScrub,
  readSwitch,
  readWait,
  SETTINGS,
  type SettingName,
  type Settings,
} from './service-settings.ts';

// The only module that reads the environment.

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** What is sent to an OTLP collector. */
export type TelemetryConfig = { traces: boolean; metrics: boolean; intervalMs: number; sampler: SamplerConfig };

/** `ratio` of the traces are recorded; with `isParentBased`, those of callers are if the caller says so. */
export type SamplerConfig = { isParentBased: boolean; ratio: number };

export type Config = {
  /** undefined: OpenTelemetry is off. */
  telemetry: TelemetryConfig | undefined;
  port: number;
  host: string;
  /** sqlite:/absolute/path with symbolic links resolved, or postgres://… */
  databaseUrl: string;
  /** The path as given, if it was a symbolic link. */
  databaseLink: string | undefined;
  /** How long a storage call waits for a lock. Not a setting; tests allow more time. */
  actMs?: number;
  /** How long to wait for the database at startup. */
  databaseWaitMs: number;
  /** The file `secret` was read from, unless the secret was given directly. */
  secretFile: string | undefined;
  secret: string;
  /** Empty if there is none. */
  secretPrevious: string;
  publicUrl: string;
  areas: ReadonlySet<Area>;
  /** `timeoutMs` covers a whole call. It is not a setting; tests allow more time. */
  tokenService: { url: string; clientId: string; clientSecret: string; timeoutMs?: number } | undefined;
  workers: number;
  logLevel: (typeof LOG_LEVELS)[number];
  metricsToken: string | undefined;
  /** Addresses and CIDR ranges. If empty, every peer is a client. */
  trustedProxies: readonly string[];
  /** The default for applications without their own limit, and the limit per address. */
  rateLimit: RateLimit | 'off';
  addressRateLimit: RateLimit | 'off';
  /** Maximum open event streams in one process. */
  streams: { total: number; perApplication: number };
  /** Bytes for cached catalog responses. */
  cacheBytes: number;
  /** Whether to record the latest requests of each application. */
  requestLog: boolean;
  /** Non-public networks that webhooks may reach. */
  webhooksAllow: readonly string[];
  /** Undefined: no mail is sent. */
  mail: MailSettings | undefined;
  /** Undefined: no OpenID provider. */
  oidc: OidcSettings | undefined;
  passwords: boolean;
  /** Texts of the preference page by language tag, in addition to the built-in ones. */
  pageTexts: Readonly<Record<string, PageTexts>>;
  /** Undefined: never scrub automatically. */
  scrubEveryMs: number | undefined;
};

/** An invalid setting; the message names it and suggests a fix. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** How to type the command here. Outside a clone, `npx innkeeper` would run someone else's package. */
export function commandName(
  { npm_lifecycle_event: started, npm_config_user_agent: manager }: NodeJS.ProcessEnv = process.env,
  isInstalled = PACKAGE_ROOT.includes('node_modules'),
): string {
  if (isInstalled && manager?.startsWith('pnpm/')) return 'pnpm exec innkeeper';
  if (started !== 'start' && started !== 'npx') return 'innkeeper';
  return isInstalled ? 'npx @innkeeper/server' : 'npx innkeeper';
}

/**
 * Flags override the environment, and the environment overrides the defaults; an empty variable counts as unset.
 * Without `needsSecret`, a missing secret is not created: the result has the existing one or an empty string.
 */
export function readConfig(
  flags: Settings,
  {
    env = process.env,
    defaults = {},
    needsSecret = true,
  }: { env?: NodeJS.ProcessEnv; defaults?: Settings; needsSecret?: boolean } = {},
): Config {
  const problems: string[] = [];
  const given = (name: SettingName): string =>
    flags[name] ||
    ('secret' in SETTINGS[name] ? readSecretText(name, env, problems) : env[environmentName(name)]) ||
    '';
  const read = new Map<SettingName, string>();
  const text = (name: SettingName): string => {
    if (!read.has(name)) read.set(name, given(name) || defaults[name] || SETTINGS[name].default);
    return read.get(name) as string;
  };
  const check = <T>(name: SettingName, value: T | undefined, want: string): T => {
    if (value === undefined)
      problems.push(`${environmentName(name)} is ${shownValue(name, text(name))}: it must be ${want}.`);
    return value as T;
  };

  const place = check('databaseUrl', readDatabasePlace(text('databaseUrl')), 'sqlite:PATH or postgres://…');
  const scrub = check('scrub', readScrub(text('scrub')), 'off or 1h to 365d, for example 7d');
  const port = check('port', readInteger(text('port'), 0, 65_535), 'a number from 0 to 65535');
  const host = text('host');
  const config: Config = {
    telemetry: readTelemetry(env, problems),
    port,
    host: check(
      'host',
      readPublicUrl(listeningUrl(host, 0)) && host,
      'an address or host name of this machine, for example 127.0.0.1 or 0.0.0.0',
    ),
    ...place,
    databaseWaitMs: check('databaseWait', readWait(text('databaseWait')), 'a time from 0s to 1h, as in 60s'),
    secret: '',
    secretPrevious: text('secretPrevious'),
    publicUrl: check(
      'publicUrl',
      text('publicUrl') ? readPublicUrl(text('publicUrl')) : (readPublicUrl(listeningUrl(host, port ?? 0)) ?? ''),
      'an http(s) URL without query, for example https://users.example.com',
    ),
    areas: check('serve', readAreas(text('serve')), `a comma-separated list of ${AREAS.join(', ')}`),
    tokenService: text('tokenServiceUrl')
      ? {
          url: check('tokenServiceUrl', readPublicUrl(text('tokenServiceUrl')), 'an http(s) URL'),
          clientId: text('tokenServiceClientId'),
          clientSecret: text('tokenServiceClientSecret'),
        }
      : undefined,
    workers: check('workers', readInteger(text('workers'), 1, 64), 'a number from 1 to 64'),
    logLevel: check(
      'logLevel',
      LOG_LEVELS.find((level) => level === text('logLevel')),
      `one of ${LOG_LEVELS.join(', ')}`,
    ),
    metricsToken: text('metricsToken') || undefined,
    trustedProxies: check(
      'trustedProxies',
      readNetworks(text('trustedProxies')),
      'a comma-separated list of IP addresses and CIDR ranges, for example 10.0.0.7,192.168.0.0/24,fd00::/8',
    ),
    rateLimit: check('rateLimit', readRateLimit(text('rateLimit')), RATE_LIMIT_FORM),
    addressRateLimit: check('addressRateLimit', readRateLimit(text('addressRateLimit')), RATE_LIMIT_FORM),
    streams: {
      total: check('streams', readInteger(text('streams'), 0, 1_000_000), 'a number from 0 to 1000000'),
      perApplication: check(
        'streamsPerApplication',
        readInteger(text('streamsPerApplication'), 0, 1_000_000),
        'a number from 0 to 1000000',
      ),
    },
    cacheBytes: check('cache', readBytes(text('cache')), 'a number with its unit, for example 64 MiB'),
    requestLog: check('requestLog', readSwitch(text('requestLog')), 'on or off'),
    webhooksAllow: check(
      'webhooksAllow',
      readNetworks(text('webhooksAllow')),
      'a comma-separated list of IP addresses and CIDR ranges, for example 10.0.0.7,192.168.0.0/24,fd00::/8',
    ),
    mail: readMail(text('smtpUrl'), text('mailFrom'), problems),
    oidc: readOidc(text, problems),
    passwords: check('passwords', readSwitch(text('passwords')), 'on or off'),
    pageTexts: readPageTextsFile(text('pageTexts'), problems),
    scrubEveryMs: scrub === 'off' ? undefined : scrub,
    secretFile: undefined,
  };
  if (config.passwords === false && !config.oidc) {
    problems.push('INNKEEPER_PASSWORDS is off, but INNKEEPER_OIDC_ISSUER is not set: no one could sign in. Set it.');
  }
  // An empty variable is unset, but a blank one is a mistake.
  if (text('secret') !== '' && text('secret').trim() === '') {
    problems.push('INNKEEPER_SECRET is blank. Create one with: openssl rand -base64 48');
  }
  if (text('secretPrevious') !== '' && text('secret') === '') {
    problems.push('INNKEEPER_SECRET_PREVIOUS is set, but INNKEEPER_SECRET is not. Set both, or neither.');
  } else if (text('secretPrevious') !== '' && text('secretPrevious') === text('secret')) {
    problems.push(
      'INNKEEPER_SECRET_PREVIOUS is the same as INNKEEPER_SECRET. Set INNKEEPER_SECRET to a new one, or remove the other.',
    );
  }
  if (problems.length === 0) {
    config.secret = text('secret') || (needsSecret ? keepSecret(place, problems) : findSecret(place));
    if (text('secret') === '') {
      config.secretFile = secretPath(place);
      config.secretPrevious = config.secretFile === undefined ? '' : readPreviousSecret(config.secretFile);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Maximum problems listed at once. */
const MAX_LISTED = 20;

function readPageTextsFile(path: string, problems: string[]): Record<string, PageTexts> {
  if (path === '') return {};
  const wrong: string[] = [];
  const own = readPageTexts(readText(path, wrong), wrong);
  problems.push(...wrong.slice(0, MAX_LISTED).map((problem) => `INNKEEPER_PAGE_TEXTS is ${path}: ${problem}.`));
  return own;
}

function readText(path: string, problems: string[]): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    problems.push(`the file cannot be read (${codeOf(error)})`);
    return '{}';
  }
}

export type OidcSettings = OidcRules & {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  scope: string;
};

function readOidc(text: (name: SettingName) => string, problems: string[]): OidcSettings | undefined {
  const given = text('oidcIssuer');
  if (given === '') return undefined;
  const url = readPublicUrl(given);
  // Keep the trailing slash as given: providers compare the issuer exactly.
  const issuer = given.endsWith('/') ? `${url}/` : url;
  if (url === undefined || issuer === undefined) problems.push('INNKEEPER_OIDC_ISSUER must be an https URL.');
  else if (url.startsWith('http:') && !isLoopback(new URL(url).hostname))
    problems.push(`INNKEEPER_OIDC_ISSUER is ${url}: secrets would be sent unencrypted. Use an https URL.`);
  const [clientId, clientSecret] = [text('oidcClientId'), text('oidcClientSecret')];
  if (clientId === '' || clientSecret === '')
    problems.push('INNKEEPER_OIDC_ISSUER is set, but INNKEEPER_OIDC_CLIENT_ID or _CLIENT_SECRET is not. Set both.');
  const roles = readList(text('oidcRoles'));
  const grants = roles.flatMap((each) => {
    const grant = readGrant(each);
    if (!grant)
      problems.push(`INNKEEPER_OIDC_ROLES has "${each}": it must be VALUE=administrator or VALUE=CLIENTID:ROLE.`);
    return grant ? [grant] : [];
  });
  const rolesClaim = text('oidcRolesClaim');
  if ((rolesClaim === '') !== (roles.length === 0))
    problems.push('INNKEEPER_OIDC_ROLES_CLAIM and INNKEEPER_OIDC_ROLES work together. Set both, or neither.');
  const domains = readList(text('oidcDomains').toLowerCase());
  if (domains.some((domain) => !isEmail(`a@${domain}`)))
    problems.push('INNKEEPER_OIDC_DOMAINS must be a comma-separated list of domains, for example example.com.');
  const name = text('oidcName') || URL.parse(given)?.host || '';
  return { issuer: issuer ?? '', clientId, clientSecret, name, scope: text('oidcScope'), domains, rolesClaim, grants };
}

/** Reads the variable, or the file that its …_FILE variant names. */
function readSecretText(name: SettingName | 'token', env: NodeJS.ProcessEnv, problems: string[]): string | undefined {
  const variable = environmentName(name);
  const path = env[`${variable}_FILE`];
  if (!path) return env[variable];
  if (env[variable]) {
    problems.push(`${variable} and ${variable}_FILE are both set, and may differ. Remove one of them.`);
    return undefined;
  }
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (text === '') problems.push(`${variable}_FILE is ${path}: the file is empty.`);
    return text;
  } catch (error) {
    problems.push(`${variable}_FILE is ${path}: the file cannot be read (${codeOf(error)}).`);
    return undefined;
  }
}

/** Reads OpenTelemetry's own variables: it is on as soon as a collector is named. */
function readTelemetry(env: NodeJS.ProcessEnv, problems: string[]): TelemetryConfig | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined;
  const isOn = (signal: 'TRACES' | 'METRICS'): boolean => {
    const names = [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT'];
    const name = names.find((each) => env[each]);
    if (name === undefined || !readList(env[`OTEL_${signal}_EXPORTER`] || 'otlp').includes('otlp')) return false;
    const problem = `${name} is invalid: it must be an http(s) URL, for example http://127.0.0.1:4318.`;
    const isUrl = /^https?:$/.test(URL.parse(env[name] ?? '')?.protocol ?? '');
    // Both signals may use one variable.
    if (!isUrl && !problems.includes(problem)) problems.push(problem);
    return true;
  };
  const [traces, metrics] = [isOn('TRACES'), isOn('METRICS')];
  const interval = Number(env.OTEL_METRIC_EXPORT_INTERVAL);
  if (!traces && !metrics) return undefined;
  const sampler = traces ? readSampler(env) : { isParentBased: true, ratio: 0 };
  return { traces, metrics, intervalMs: interval >= 100 ? interval : 60_000, sampler };
}

/** As the SDK reads it, which reports invalid values in its thread. */
function readSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: text }: NodeJS.ProcessEnv): SamplerConfig {
  const [, parent, root] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name ?? '') ?? [
    '',
    'parentbased_',
  ];
  const given = root === 'traceidratio' && text?.trim() ? Number(text) : 1;
  const ratio = given >= 0 && given <= 1 ? given : 1;
  return { isParentBased: parent !== undefined, ratio: root === 'always_off' ? 0 : ratio };
}

/** Without INNKEEPER_URL: a remote command needs a token itself. */
export const CREATE_TOKEN =
  'Create a token in its portal, or on the machine with its database: innkeeper token create --name NAME';

export type Remote = { url: string; token: string };

/** The remote service for a command to work on; undefined: work on a local database. */
export function readRemote(flags: Settings, env: NodeJS.ProcessEnv = process.env): Remote | undefined {
  const problems: string[] = [];
  const text = flags.url || env.INNKEEPER_URL;
  const token = flags.token || readSecretText('token', env, problems);
  if (!text) {
    if (flags.token) problems.push('--token is given, but neither --url nor INNKEEPER_URL is.');
    if (problems.length > 0) throw new ConfigError(problems);
    return undefined;
  }
  const url = readPublicUrl(text);
  if (url === undefined)
    problems.push(`INNKEEPER_URL is "${text}". Enter a full URL, for example https://users.example.com.`);
  else if (url.startsWith('http:') && !isLoopback(new URL(url).hostname))
    problems.push(`INNKEEPER_URL is ${url}: the token would be sent unencrypted. Use an https URL.`);
  if (!token && problems.length === 0)
    problems.push(
      `INNKEEPER_URL is set, but INNKEEPER_TOKEN is not. ${CREATE_TOKEN}. To use the local database, unset INNKEEPER_URL.`,
    );
  if (problems.length > 0) throw new ConfigError(problems);
  return { url: url as string, token: token as string };
}

/**
 * Variables for clients, remote commands, tests and the wrapper script, and those Kubernetes sets for each Service in
 * the namespace.
 */
const OTHERS_VARIABLE =
  /^INNKEEPER_(CLIENT_ID|CLIENT_SECRET|URL|TOKEN|TOKEN_FILE|TEST_\w+|RERUN)$|_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/;

/** Variables that look like settings but are not, each with a suggestion: most are typos. */
export function unknownVariables(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = ALL_SETTINGS.flatMap((name) => {
    const variable = environmentName(name);
    return 'secret' in SETTINGS[name] ? [variable, `${variable}_FILE`] : [variable];
  });
  return Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX) || !value || known.includes(name)) return [];
    if (OTHERS_VARIABLE.test(name) || /^(tcp|udp|sctp):\/\//.test(value)) return [];
    const meant = nearestName(name, known, PREFIX);
    const remedy = meant === undefined ? 'See: innkeeper serve --help' : `Did you mean ${meant}?`;
    return [`${name} is not a setting and has no effect. ${remedy}`];
  });
}

/** Variables that are read only together with another one, which is not set. */
export function idleVariables(
  { oidc, tokenService }: Pick<Config, 'oidc' | 'tokenService'>,
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  const named = (group: RegExp, missing: string): string[] =>
    Object.entries(env).flatMap(([name, value]) =>
      value && group.test(name) ? [`${name} has no effect without ${missing}. Set both, or neither.`] : [],
    );
  return [
    ...(tokenService ? [] : named(/^INNKEEPER_TOKEN_SERVICE_CLIENT_/, 'INNKEEPER_TOKEN_SERVICE_URL')),
    ...(oidc ? [] : named(/^INNKEEPER_OIDC_/, 'INNKEEPER_OIDC_ISSUER')),
  ];
}

export function listeningUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Problems are printed and logged: they must not contain a password. */
function shownValue(name: SettingName, text: string): string {
  return 'secret' in SETTINGS[name] ? 'wrong' : `"${text}"`;
}
