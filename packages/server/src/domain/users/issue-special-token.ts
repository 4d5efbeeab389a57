import { recogniseApplication } from '../applications/recognise.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/admission.ts';
import { required } from '../required.ts';
import type { Service } from '../service.ts';
import type { UserWithToken } from './create-user.ts';
import { makeSpecialToken } from './special-token.ts';

export type IssueSpecialTokenRequest = {
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
