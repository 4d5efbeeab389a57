import { randomFillSync } from 'node:crypto';
import type { NewSpecialToken, UserRecord } from '../../storage/port.ts';
import { homeOfName, homeOfText, textAtHome } from '../../uuid.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/rate-limits.ts';
import { required } from '../required.ts';
import type { Service } from '../service.ts';
import { recogniseApplication } from './authorize-application.ts';

export type UserWithToken = { specialToken: string; clientId: string; clientUserId: string; clientUserName: string };

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

type IssueSpecialTokenRequest = {
  clientId: unknown;
  clientSecret: unknown;
  clientUserId: unknown;
  admission: Admission;
};

/** A new specialToken for a user who lost or used theirs; earlier unused ones stop working. */
export async function issueSpecialToken(service: Service, request: IssueSpecialTokenRequest): Promise<UserWithToken> {
  const clientId = required(request.clientId, 'clientId', 'clientIdMissing');
  const clientSecret = required(request.clientSecret, 'clientSecret', 'clientSecretMissingOnCreate');
  const clientUserId = required(request.clientUserId, 'clientUserId', 'clientUserIdMissing');
  const application = await recogniseApplication(service, clientId, clientSecret);
  request.admission.admitApplication(application, 'users');

  const token = makeSpecialToken(service, application, clientUserId);
  const issued = await service.storage.tokens.replaceSpecialToken(application.appId, clientUserId, token.record);
  if (issued.outcome === 'unknown-user') throw new InnkeeperError('clientUserUnknown');
  return { specialToken: token.text, clientId, clientUserId, clientUserName: issued.clientUserName };
}

/** Like POST /api/v2/app/special-token, for a manager of the application: earlier unused ones stop working. */
export async function reissueSpecialToken(
  service: Service,
  application: Application,
  { clientUserId }: UserRecord,
): Promise<{ specialToken: string; expiresAt: number }> {
  const { text, record } = makeSpecialToken(service, application, clientUserId);
  const issued = await service.storage.tokens.replaceSpecialToken(application.appId, clientUserId, record);
  if (issued.outcome === 'unknown-user') throw new InnkeeperError('userNotFound');
  return { specialToken: text, expiresAt: record.expiresAt };
}

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let taken = POOL_BYTES;

/** Random bytes as text, from a pool that is filled at once: calling the generator costs more than the bytes. */
function randomText(bytes: number): string {
  if (taken + bytes > POOL_BYTES) {
    randomFillSync(pool);
    taken = 0;
  }
  const text = pool.toString('base64url', taken, taken + bytes);
  // Erase the secret.
  pool.fill(0, taken, taken + bytes);
  taken += bytes;
  return text;
}
