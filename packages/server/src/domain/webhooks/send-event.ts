import { createHmac, randomBytes } from 'node:crypto';
import { type Attempt, StorageUnavailable, type WebhookOff, type WebhookRecord } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Pauses after failed tries. */
const PAUSES = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];
/** A pause is up to this much longer, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
/** A webhook without success for this long is switched off. */
const FAILING_MS = 5 * 24 * HOUR;
const GONE = 410;

/** The event as sent, with its id, the same in every try. */
export type SentEvent = { id: string; body: string };

/** One try, signed with each currently valid secret. */
export async function sendEvent(
  { sender, keyring }: { sender: WebhookSender; keyring: Keyring },
  { url, sealedSecret, previousSecret }: WebhookRecord,
  event: SentEvent,
  now: number,
): Promise<Sent> {
  const sealed = [sealedSecret, ...(previousSecret && previousSecret.expiresAt > now ? [previousSecret.sealed] : [])];
  const secrets = sealed.flatMap((each) => keyring.unsealWebhookSecret(each) ?? []);
  // Never unsigned: a replica that has the secret sends it.
  if (secrets.length === 0)
    throw new StorageUnavailable('The secret of a webhook was sealed under another INNKEEPER_SECRET.');
  return sender.post(url, signatureHeaders(secrets, { ...event, at: now }), event.body);
}

/** The state of a delivery after a try. `attempts`: those before it. */
export function judgeTry(delivery: { deliveryId: string; attempts: number }, sent: Sent, now: number): Attempt {
  const about = { ...sent, deliveryId: delivery.deliveryId, at: now };
  if (isSuccess(sent)) return { ...about, state: 'succeeded', nextAt: null };
  const pause = PAUSES[delivery.attempts];
  if (pause === undefined || sent.status === GONE || sent.problem === 'event-expired') {
    return { ...about, state: 'failed', nextAt: null };
  }
  return { ...about, state: 'pending', nextAt: now + Math.round(pause * (1 + JITTER * Math.random())) };
}

export function isSuccess({ status }: Pick<Sent, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Whether these tries switch the webhook off. */
export function switchOffReason(
  { failingSince }: { failingSince: number | null },
  attempts: readonly Attempt[],
  now: number,
): WebhookOff | null {
  if (attempts.some(({ status }) => status === GONE)) return 'gone';
  const isFailing = attempts.length > 0 && !attempts.some(isSuccess);
  return isFailing && failingSince !== null && now - failingSince >= FAILING_MS ? 'failing' : null;
}

const PREFIX = 'whsec_';

/** 256 random bits in the Standard Webhooks format. */
export function makeWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** The Standard Webhooks headers, with a signature for each secret. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  };
}

/** Why a receiver did not respond. */
export const SEND_PROBLEMS = [
  'timeout',
  'name-not-found',
  'address-not-allowed',
  'connection-refused',
  'connection-lost',
  'certificate-invalid',
  'unreachable',
  'event-expired',
] as const;
export type SendProblem = (typeof SEND_PROBLEMS)[number];

export type Sent = {
  /** HTTP status; null: no response. */
  status: number | null;
  problem: SendProblem | null;
  /** The first kilobyte of the response. */
  body: string | null;
  milliseconds: number;
};

/** Figures of this process, for the metrics: tries by result, and how far the slowest webhook is behind. */
export type WebhookFigures = { attempts: Record<'succeeded' | 'retried' | 'failed', number>; lagMs: number };

/** Posts to receivers, but only to allowed addresses. */
export interface WebhookSender {
  /** Why a URL cannot be a receiver; undefined if it can. */
  problemWith(url: string): Promise<string | undefined>;
  /** Never rejects. */
  post(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
  /** Aborts what is in flight. */
  close(): void;
}
