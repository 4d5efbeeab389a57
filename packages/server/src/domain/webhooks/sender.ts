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
