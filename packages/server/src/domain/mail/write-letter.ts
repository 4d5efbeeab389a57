import type { AccountRecord, Problem, Role } from '../../storage/port.ts';
import { PORTAL_LANGUAGES, type PortalLanguage, readPreferences } from '../accounts/account.ts';
import { fill } from '../preferences/page-texts.ts';
import letters from './letters.json' with { type: 'json' };

/** What changed about how an account signs in. */
export type AccountChange = 'password' | 'twoStepOn' | 'twoStepOff' | 'recoveryCodes';

/** What the operator reset from the command line. */
export type AccountReset = 'password' | 'twoStep' | 'both';

/** What a letter is about; times are milliseconds since the epoch. */
export type LetterContent =
  | { kind: 'invitation'; application: string; role: Role; invitedBy: string; link: string; expiresAt: number }
  | { kind: 'password' | 'signIn'; link: string; expiresAt: number }
  | { kind: 'accountChanged'; change: AccountChange; at: number; link: string }
  | { kind: 'accountReset'; reset: AccountReset; at: number; link: string }
  | { kind: 'secretExpires'; application: string; expiresAt: number; link: string }
  | { kind: 'webhookFails'; application: string; host: string; since: number; link: string }
  | { kind: 'webhookOff'; application: string; host: string; link: string };

/** One letter in one language, with placeholders in braces: the paragraphs come before the link, the notes after it. */
type LetterParts = { subject: string; paragraphs: string[]; action: string; notes: string[] };

type LetterTexts = {
  role: Record<Role, string>;
  change: Record<AccountChange, string>;
  reset: Record<AccountReset, string>;
  letters: Record<LetterContent['kind'], LetterParts>;
};

const TEXTS: Record<PortalLanguage, LetterTexts> = letters;

/** A mail, as plain text and HTML. */
export type Letter = { to: string; subject: string; text: string; html: string };

export type MailCounts = { sent: number; failed: number; dropped: number };

/** The port for mail. Nothing waits for a letter, and no request fails because of one. */
export type Mailer = {
  /** Queues a letter; `write` runs when it is its turn, and returns undefined if there is no one to write to. */
  send(
    write: () => Promise<Letter | undefined>,
    /** Called if it is given up, unless its recipient was refused. */
    onUnsent?: () => Promise<void>,
  ): void;
  /** How many were sent, failed, or did not fit into the queue. */
  counts(): MailCounts;
  problems(): Problem[];
  /** Sends what is queued, for a few seconds at most. */
  close(): Promise<void>;
};

/** For names that people chose: on one line, and short enough for a subject. */
const MAX_NAME = 100;

/** A letter in plain text and in simple HTML, which loads nothing. */
export function writeLetter(to: string, language: PortalLanguage, content: LetterContent): Letter {
  const { action, ...parts } = TEXTS[language].letters[content.kind];
  const values = valuesOf(content, language);
  const subject = fill(parts.subject, values);
  const paragraphs = parts.paragraphs.map((each) => fill(each, values));
  const notes = parts.notes.map((each) => fill(each, values));
  return {
    to,
    subject,
    text: [...paragraphs, `${action}:\n${content.link}`, ...notes, '--\nInnkeeper'].join('\n\n'),
    html: `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.5; max-width: 36em; margin: 2em auto; padding: 0 1em">
${paragraphs.map((each) => `<p>${escapeHtml(each)}</p>`).join('\n')}
<p><a href="${escapeHtml(content.link)}" style="display: inline-block; padding: 10px 18px; border-radius: 6px; background: #1864ab; color: #ffffff; text-decoration: none">${escapeHtml(action)}</a></p>
<p style="font-size: 13px; color: #555555; word-break: break-all">${escapeHtml(content.link)}</p>
${notes.map((each) => `<p style="font-size: 13px; color: #555555">${escapeHtml(each)}</p>`).join('\n')}
</body>
</html>
`,
  };
}

/** The account's language, or the fallback. */
export function letterLanguage(account: Pick<AccountRecord, 'preferences'>, otherwise: PortalLanguage): PortalLanguage {
  return readPreferences(account.preferences).language ?? otherwise;
}

/** The first language in Accept-Language that the portal has. */
export function browserLanguage(acceptLanguage: string | undefined): PortalLanguage {
  const wanted = (acceptLanguage ?? '').slice(0, 200).toLowerCase().split(',');
  const tags = wanted.map((each) => each.split(';', 1)[0]?.trim().split('-', 1)[0]);
  return tags.map((tag) => PORTAL_LANGUAGES.find((language) => language === tag)).find(Boolean) ?? 'en';
}

/** By placeholder. */
function valuesOf(content: LetterContent, language: PortalLanguage): Record<string, string> {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(content)) {
    values[name] = typeof value === 'number' ? `${format.format(value)} UTC` : oneLine(value);
  }
  const { role, change, reset } = TEXTS[language];
  if (content.kind === 'invitation') values.role = role[content.role];
  if (content.kind === 'accountChanged') values.change = change[content.change];
  if (content.kind === 'accountReset') values.reset = reset[content.reset];
  return values;
}

/** Removes control and direction characters, which could make a name look like our own text. */
function oneLine(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return [...clean].slice(0, MAX_NAME).join('').trim();
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] as string);
}
