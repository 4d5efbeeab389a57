import type { Problem } from '../../storage/port.ts';

/** What somebody gets, in plain text and in HTML. */
export type Letter = { to: string; subject: string; text: string; html: string };

export type MailCounts = { sent: number; failed: number; dropped: number };

/** The port of mail. Nobody waits for a letter, and no request fails because of one. */
export type Mailer = {
  /** Queues a letter, which is written when its turn comes. `write` returns undefined when there is nobody to write to. */
  send(write: () => Promise<Letter | undefined>): void;
  /** How many went out, could not be sent, or did not fit into the queue. */
  counts(): MailCounts;
  problems(): Problem[];
  /** Sends what is queued, for a few seconds at most. */
  close(): Promise<void>;
};
