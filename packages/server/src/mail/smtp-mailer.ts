import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import type { Letter, MailCounts, Mailer } from '../domain/mail/write-letter.ts';
import type { Problem } from '../storage/port.ts';
import type { MailSettings } from './mail-settings.ts';

type Options = {
  onFailure(reason: string, isLast: boolean): void;
  onDropped(letters: number): void;
  /** Pauses between attempts to send one letter. */
  pausesMs?: readonly number[];
  withinMs?: number;
  maxQueued?: number;
  closeWithinMs?: number;
};

const PAUSES_MS = [5_000, 60_000, 300_000];
/** How long a server that hangs can hold up a letter. */
const WITHIN_MS = 15_000;
/** Maximum bytes read from a server: nodemailer bounds a response, but not the empty lines before one. */
const MAX_BYTES = 65_536;
const MAX_QUEUED = 500;
const CLOSE_WITHIN_MS = 3_000;
/**
 * This many failures in a row point to the server rather than to an address. Reported until this long after the last
 * one.
 */
const PROBLEM = { failures: 3, lastsMs: 3_600_000 };

type Write = Parameters<Mailer['send']>[0];
type Queued = { write: Write; tries: number; onUnsent: Parameters<Mailer['send']>[1] };

/**
 * Sends letters from a queue in memory. Queued letters are lost when the process ends: those with a link can be
 * requested again, and a link stored in a database could be stolen from there. Warnings are sent again later.
 */
export class SmtpMailer implements Mailer {
  readonly #settings: MailSettings;
  readonly #options: Required<Options>;
  readonly #queue: Queued[] = [];
  /** Letters waiting for a retry: they do not hold up others. */
  readonly #pausing = new Map<NodeJS.Timeout, Queued>();
  readonly #counts: MailCounts = { sent: 0, failed: 0, dropped: 0 };
  /** One at a time. */
  #inFlight: Promise<void> | undefined;
  #sending: Queued | undefined;
  #isClosed = false;
  #failures = { inARow: 0, lastAt: 0, reason: '' };

  constructor(settings: MailSettings, options: Options) {
    this.#settings = settings;
    this.#options = {
      pausesMs: PAUSES_MS,
      withinMs: WITHIN_MS,
      maxQueued: MAX_QUEUED,
      closeWithinMs: CLOSE_WITHIN_MS,
      ...options,
    };
  }

  send(write: Write, onUnsent?: Queued['onUnsent']): void {
    const letter = { write, tries: 0, onUnsent };
    const isFull = this.#queue.length + this.#pausing.size >= this.#options.maxQueued;
    if (this.#isClosed || isFull) void this.#drop([letter]);
    else this.#enqueue(letter);
  }

  counts(): MailCounts {
    return { ...this.#counts };
  }

  problems(): Problem[] {
    const { inARow, lastAt, reason } = this.#failures;
    if (inARow < PROBLEM.failures || performance.now() - lastAt > PROBLEM.lastsMs) return [];
    const message = `Mail cannot be sent: ${reason}. Check INNKEEPER_SMTP_URL and the mail server; innkeeper doctor tries to connect.`;
    return [{ kind: 'mail', effect: 'none', message }];
  }

  async close(): Promise<void> {
    const late = pause(this.#options.closeWithinMs, 'late' as const, { ref: false });
    while (this.#inFlight) {
      if ((await Promise.race([this.#inFlight, late])) === 'late') break;
    }
    this.#isClosed = true;
    for (const timer of this.#pausing.keys()) clearTimeout(timer);
    const left = [...this.#queue.splice(0), ...this.#pausing.values(), ...(this.#sending ? [this.#sending] : [])];
    if (left.length > 0) await this.#drop(left);
  }

  async #drop(letters: readonly Queued[]): Promise<void> {
    this.#counts.dropped += letters.length;
    this.#options.onDropped(letters.length);
    for (const letter of letters) await this.#giveUp(letter);
  }

  /** Never rejects. */
  async #giveUp({ onUnsent }: Queued): Promise<void> {
    await onUnsent?.().catch((error: Error) =>
      this.#options.onFailure(`it will not be sent again (${error.name})`, true),
    );
  }

  #enqueue(letter: Queued): void {
    this.#queue.push(letter);
    this.#work();
  }

  #work(): void {
    if (this.#isClosed || this.#inFlight) return;
    const next = this.#queue.shift();
    if (!next) return;
    this.#sending = next;
    this.#inFlight = this.#try(next).finally(() => {
      this.#inFlight = undefined;
      this.#sending = undefined;
      this.#work();
    });
  }

  /** Never rejects. */
  async #try(queued: Queued): Promise<void> {
    let letter: Letter | undefined;
    try {
      letter = await queued.write();
    } catch (error) {
      this.#counts.failed += 1;
      this.#options.onFailure(`it could not be written (${(error as Error).name})`, true);
      return;
    }
    if (letter === undefined) return;
    try {
      await this.#post(letter);
      this.#counts.sent += 1;
      this.#failures.inARow = 0;
    } catch (error) {
      await this.#failed(queued, letter, error);
    }
  }

  async #failed({ tries, onUnsent }: Queued, letter: Letter, error: unknown): Promise<void> {
    const reason = reasonOf(error);
    this.#failures = { inARow: this.#failures.inARow + 1, lastAt: performance.now(), reason };
    const again = { write: async () => letter, tries: tries + 1, onUnsent };
    const wait = isFinal(error) || this.#isClosed ? undefined : this.#options.pausesMs[tries];
    this.#options.onFailure(reason, wait === undefined);
    if (wait === undefined) {
      this.#counts.failed += 1;
      // After close(), the letter in flight was already given up.
      if (!isFinal(error) && !this.#isClosed) await this.#giveUp(again);
      return;
    }
    const timer = setTimeout(() => {
      this.#pausing.delete(timer);
      this.#enqueue(again);
    }, wait).unref();
    this.#pausing.set(timer, again);
  }

  async #post({ to, subject, text, html }: Letter): Promise<void> {
    const { from } = this.#settings;
    await connected(this.#settings, this.#options.withinMs, (transport) =>
      // Pass addresses as objects: a string would be parsed as a list.
      transport.sendMail({ from, to: { name: '', address: to }, subject, text, html }),
    );
  }
}

/** For doctor: connects, and signs in if there is a password. */
export async function tryToConnect(settings: MailSettings, withinMs: number): Promise<void> {
  try {
    await connected(settings, withinMs, (transport) => transport.verify());
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

/**
 * Limits what a server can send, and the connection's lifetime: a server that sends a byte now and then would keep it
 * open.
 */
async function connected(
  settings: MailSettings,
  withinMs: number,
  work: (transport: Transporter) => Promise<unknown>,
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, requireTls, auth } = settings;
  const socket = new Socket();
  const transport = createTransport({
    host,
    port,
    secure,
    socket,
    requireTLS: requireTls,
    ...(auth && { auth }),
    connectionTimeout: withinMs,
    greetingTimeout: withinMs,
    socketTimeout: withinMs,
    dnsTimeout: withinMs,
    // A letter must never include files or URLs from this machine.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = AbortSignal.timeout(withinMs);
  const { promise: cut, reject } = Promise.withResolvers<never>();
  const fail = (code: string): void => {
    reject(Object.assign(new Error(code), { code }));
    socket.destroy();
  };
  const stop = (): void => fail('ETIMEDOUT');
  late.addEventListener('abort', stop, { once: true });
  socket.on('data', () => {
    if (socket.bytesRead > MAX_BYTES) fail('EPROTOCOL');
  });
  try {
    await Promise.race([work(transport), cut]);
  } finally {
    late.removeEventListener('abort', stop);
  }
}

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** Whether the server refused this letter permanently. */
function isFinal(error: unknown): boolean {
  const { responseCode, code } = error as SmtpError;
  return code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500;
}

/** The reason without the server's own text, which contains addresses. */
function reasonOf(error: unknown): string {
  const { code, responseCode, command } = error as SmtpError;
  if (responseCode !== undefined) return `the server responded ${responseCode} to ${command ?? 'the connection'}`;
  return code ?? 'unknown error';
}
