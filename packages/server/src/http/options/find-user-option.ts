import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { type IdentifiedUser, identifyUserToRead } from '../../domain/users/identify-user.ts';
import { isUuid } from '../../domain/users/user-code.ts';
import { noteUser } from '../about.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { identifyApplication } from './api-key.ts';
import { claimsOfQuery } from './user-claims.ts';

export type UserOptionRequest = IdentifiedUser & { application: Application; selectionId: string };

/** Whose record is asked for, and which. One of another user looks like one that does not exist. */
export async function readUserOptionRequest(
  service: Service,
  request: HttpRequest,
  reply: HttpReply,
): Promise<UserOptionRequest> {
  const application = await identifyApplication(service, request, reply);
  const identified = await identifyUserToRead(service, application, claimsOfQuery(request));
  noteUser(request, identified.user);
  const selectionId = (request.params as { user_options_uid: string }).user_options_uid;
  if (!isUuid(selectionId)) throw new InnkeeperError('selectionNotFound');
  return { ...identified, application, selectionId };
}
