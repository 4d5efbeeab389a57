import type { Problem } from '../../storage/port.ts';

/** A mail, as plain text and HTML. */
export type Letter = { to: string; subject: string; text: string; html: string };

export type MailCounts = { sent: number; failed: number; dropped: number };

/** The port for mail. Nothing waits for a letter, and no request fails because of one. */
export type Mailer = {
  /** Queues a letter; `write` runs when it is its turn, and returns undefined if there is nobody to write to. */
  send(write: () => Promise<Letter | undefined>): void;
  /** How many were sent, failed, or did not fit into the queue. */
  counts(): MailCounts;
  problems(): Problem[];
  /** Sends what is queued, for a few seconds at most. */
  close(): Promise<void>;
};
