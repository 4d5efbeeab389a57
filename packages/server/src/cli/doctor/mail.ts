import { messageOf } from '../../caught.ts';
import type { Config } from '../../config.ts';
import { type Check, failed, passed } from './check.ts';

const LIMIT_MS = 2_500;

/** Skipped without a mail server: links are shown for copying. */
export async function checkMail({ mail }: Config): Promise<Check[]> {
  if (!mail) return [];
  const { tryToConnect } = await import('../../mail/smtp-mailer.ts');
  const server = `${mail.host}:${mail.port}`;
  try {
    await tryToConnect(mail, LIMIT_MS);
    return [passed('mail', `${server} accepts mail`)];
  } catch (error) {
    return [
      failed(
        'mail',
        `${server}: ${messageOf(error)}`,
        'Check host, port, user and password in INNKEEPER_SMTP_URL, and that the mail server is running.',
      ),
    ];
  }
}
