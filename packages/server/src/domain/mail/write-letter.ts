import type { AccountRecord, Problem } from '../../storage/port.ts';
import { PORTAL_LANGUAGES, type PortalLanguage, readPreferences } from '../accounts/account.ts';
import { LETTER_TEXTS, type LetterContent } from './letter-texts.ts';

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
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const time = (at: number): string => `${format.format(at)} UTC`;
  const { subject, paragraphs, action, notes } = LETTER_TEXTS[language].write(tidied(content), time);
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

function tidied<T extends LetterContent>(content: T): T {
  const texts = Object.entries(content).map(([name, value]) =>
    typeof value === 'string' && name !== 'link' ? [name, oneLine(value)] : [name, value],
  );
  return Object.fromEntries(texts) as T;
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
