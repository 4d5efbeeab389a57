import { homeOfName, homeOfText, textAtHome } from '../../home.ts';
import type { NewSpecialToken } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { randomText } from '../random-text.ts';
import type { Service } from '../service.ts';

/**
 * A specialToken names its application in its text, so that one of another application (0006) can be told from a used
 * or unknown one (0008) without storing used ones.
 */
export function makeSpecialToken(
  service: Service,
  application: Application,
  clientUserId: string,
): { text: string; record: NewSpecialToken } {
  const home = homeOfName(application.appId, clientUserId);
  const text = `st_${application.appId}_${textAtHome(home, randomText(32))}`;
  const expiresAt = service.now() + application.settings.specialTokenTtl * 1000;
  return { text, record: { tokenHash: service.keyring.hashToken(text), expiresAt } };
}

/**
 * The application and the home in a specialToken; undefined if the text cannot be one. Tokens from before homes name an
 * arbitrary one.
 */
export function readSpecialToken(specialToken: string): { appId: number; home: number } | undefined {
  const match = /^st_(\d{1,15})_([\w-]{43})$/.exec(specialToken);
  return match ? { appId: Number(match[1]), home: homeOfText(match[2] as string) } : undefined;
}
