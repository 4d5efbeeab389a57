/** Why a receiver did not answer. */
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

/** Of this process, for the metrics: tries by what came of them, and how far the slowest webhook is behind the events. */
export type WebhookFigures = { attempts: Record<'succeeded' | 'retried' | 'failed', number>; lagMs: number };

/** Posts to receivers, and to no address that is not allowed. */
export interface WebhookSender {
  /** Why a URL cannot be a receiver's; undefined: it can. */
  problemWith(url: string): Promise<string | undefined>;
  /** Never rejects. */
  post(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
  /** Ends what is in flight. */
  close(): void;
}
