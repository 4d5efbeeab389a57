import type { AccountRecord, WebhookRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { Service } from '../service.ts';
import {
  type AccountChange,
  type AccountReset,
  type LetterContent,
  letterLanguage,
  type Mailer,
  writeLetter,
} from './write-letter.ts';

/**
 * If mail is set up, tells the owner of an account that its password or second factor changed: it may not have been
 * them.
 */
export function notifyAccount(
  { mailer, publicUrl, now }: Service,
  account: Pick<AccountRecord, 'email' | 'preferences'>,
  change: AccountChange,
): void {
  const content = { kind: 'accountChanged', change, at: now(), link: `${publicUrl}/portal/account` } as const;
  mailer?.send(async () => writeLetter(account.email, letterLanguage(account, 'en'), content));
}

/** The same after a reset by the operator. */
export function notifyOfReset(
  { mailer, publicUrl, now }: Pick<Service, 'mailer' | 'publicUrl' | 'now'>,
  account: Pick<AccountRecord, 'email' | 'preferences'>,
  reset: AccountReset,
): void {
  const content = { kind: 'accountReset', reset, at: now(), link: `${publicUrl}/portal/sign-in` } as const;
  mailer?.send(async () => writeLetter(account.email, letterLanguage(account, 'en'), content));
}

const EVERY_MS = 5 * 60_000;
const DAY_MS = 24 * 3_600_000;
/** A restarted receiver is not worth a mail. */
const FAILING_MS = 3_600_000;
/** Once per problem: none lasts this long. */
const ONCE = { everyMs: 3650 * DAY_MS, burst: 1 };

/**
 * Mails owners about problems, every few minutes. Every replica checks; the database decides which of them
 * sends the mail.
 */
export function keepWarning(
  service: Service & { mailer: Mailer },
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  let inFlight: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    inFlight = warnOwners(service).catch(onFailure);
  }, EVERY_MS).unref();
  return {
    async stop() {
      clearInterval(timer);
      await inFlight;
    },
  };
}

export async function warnOwners(service: Service & { mailer: Mailer }): Promise<void> {
  const now = service.now();
  for (const application of service.applications.all()) {
    const expiring = application.secrets.find(({ expiresAt }) => isSoon(expiresAt, now));
    if (!expiring || !(await isStillUsed(service, application, expiring.secretHash))) continue;
    const link = pageOf(service, application, 'credentials');
    const expiresAt = expiring.expiresAt as number;
    await warn(service, application, `secret ${expiring.secretHash}`, { kind: 'secretExpires', expiresAt, link });
  }
  for (const webhook of await service.storage.webhooks.listFailing(now - FAILING_MS)) {
    const application = service.applications.peekById(webhook.appId);
    if (application) await warnOfWebhook(service, application, webhook);
  }
}

function isSoon(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt > now && expiresAt - now <= DAY_MS;
}

/** Whether the previous secret was used after the newer one was created. */
async function isStillUsed({ storage }: Service, application: Application, secretHash: string): Promise<boolean> {
  const replacedAt = application.secrets.find(({ expiresAt }) => expiresAt === null)?.createdAt ?? 0;
  const uses = await storage.applications.secretUses(application.appId);
  const use = uses.find((each) => each.secretHash === secretHash);
  return (use?.lastUsedAt ?? 0) > replacedAt;
}

async function warnOfWebhook(
  service: Service & { mailer: Mailer },
  application: Application,
  { webhookId, url, off, failingSince }: WebhookRecord,
): Promise<void> {
  const about = { host: URL.parse(url)?.host ?? '', link: pageOf(service, application, 'webhooks') };
  const subject = `webhook ${webhookId} ${off ?? 'on'} ${failingSince}`;
  if (off !== null) return warn(service, application, subject, { kind: 'webhookOff', ...about });
  await warn(service, application, subject, { kind: 'webhookFails', since: failingSince as number, ...about });
}

type Warning = Extract<LetterContent, { kind: 'secretExpires' | 'webhookFails' | 'webhookOff' }>;
type WithoutName<T> = T extends unknown ? Omit<T, 'application'> : never;

async function warn(
  service: Service & { mailer: Mailer },
  { appId, name }: Application,
  subject: string,
  content: WithoutName<Warning>,
): Promise<void> {
  const { storage, keyring, mailer, now } = service;
  const subjectHash = keyring.hashAttempt(`warning ${subject}`);
  if (!(await storage.attempts.admit({ subjectHash, ...ONCE }, now()))) return;
  const letters = (await ownersOf(service, appId)).map((account) =>
    writeLetter(account.email, letterLanguage(account, 'en'), { ...content, application: name }),
  );
  let unsent = 0;
  const onUnsent = async () => {
    // No owner got it: the next check warns again.
    if (++unsent === letters.length) await storage.attempts.forget(subjectHash);
  };
  for (const letter of letters) mailer.send(async () => letter, onUnsent);
}

/** The application's owners; administrators if there is none. */
async function ownersOf({ storage }: Service, appId: number) {
  const accounts = await storage.accounts.list();
  const ids = new Set(
    (await storage.members.list(appId)).filter(({ role }) => role === 'owner').map(({ accountId }) => accountId),
  );
  return accounts.filter(({ accountId, role }) => (ids.size > 0 ? ids.has(accountId) : role === 'administrator'));
}

function pageOf({ publicUrl }: Service, { clientId }: Application, room: string): string {
  return `${publicUrl}/portal/applications/${clientId}/${room}`;
}
