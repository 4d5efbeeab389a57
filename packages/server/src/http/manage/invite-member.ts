import { whyNoEmail } from '../../domain/accounts/account.ts';
import { browserLanguage, letterLanguage } from '../../domain/mail/write-letter.ts';
import { inviteMember, mailInvitation } from '../../domain/members/invite-member.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { InvitationShape, LanguagesShape, RoleShape, readLanguages, viewInvitation } from './member-views.ts';
import { PROOF_ERRORS, ProofAnswer, ProofMembers, proveIfSignedIn } from './proof.ts';
import { Nullable } from './schemas.ts';

const schema = {
  operationId: 'inviteMember',
  summary: 'Invite a member to an application',
  description:
    'The link is shown only in this response. If the service sends mail, the address also gets it by mail (`mailed`); otherwise pass it on yourself. It works once within 7 days and creates an account for this address if there is none. It replaces earlier invitations to the address, and ends if its sender no longer owns the application.',
  body: Type.Object({
    email: Type.String(),
    role: RoleShape,
    languages: Type.Optional(Nullable(LanguagesShape)),
    ...ProofMembers,
  }),
  response: {
    ...ProofAnswer,
    201: Type.Object({
      link: Type.String(),
      mailed: Type.Boolean({ description: 'the link was also queued as a mail to this address' }),
      ...InvitationShape.properties,
    }),
  },
  errors: ['alreadyMember', ...PROOF_ERRORS] as const,
};

export function inviteMemberRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/invitations', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async (context) => {
    const { application, manager, request, reply } = context;
    const { email, role, languages: limits, password, code } = context.readBody();
    const problem = whyNoEmail(email);
    if (problem !== undefined) throw refuse('email', problem);
    const languages = await readLanguages(service, application.appId, { role, languages: limits });
    const wanted = { appId: application.appId, email, role, languages };
    await proveIfSignedIn(service, context, { password, code });
    const { link, invitation } = await inviteMember(service, {
      ...wanted,
      invitedBy: manager.author,
      inviterId: manager.accountId,
    });
    const sender = manager.signedIn?.account;
    const browser = browserLanguage(request.headers['accept-language']);
    const language = sender ? letterLanguage(sender, browser) : browser;
    const mailed = await mailInvitation(service, { application: application.name, link, invitation, language });
    reply.code(201);
    return { link, mailed, ...viewInvitation(invitation) };
  });
}
