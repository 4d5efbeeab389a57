import type { NewSpecialToken } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { randomText } from '../random-text.ts';
import type { Service } from '../service.ts';

/**
 * A specialToken says whose it is in its own text, so that one of another application (0006) is
 * told from one that is spent or unknown (0008) without keeping spent ones.
 */
export function makeSpecialToken(
  service: Service,
  application: Application,
): { text: string; record: NewSpecialToken } {
  const text = `st_${application.appId}_${randomText(32)}`;
  const expiresAt = service.now() + application.settings.specialTokenTtl * 1000;
  return { text, record: { tokenHash: service.keyring.hashToken(text), expiresAt } };
}

/** The application a specialToken names; undefined for a text that no special token could be. */
export function applicationOfToken(specialToken: string): number | undefined {
  const match = /^st_(\d{1,15})_[\w-]{43}$/.exec(specialToken);
  return match ? Number(match[1]) : undefined;
}
