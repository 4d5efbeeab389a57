import { accountEmailProblem } from '../../domain/accounts/account.ts';
import { inviteMember, mailInvitation } from '../../domain/accounts/invitations.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { browserLanguage, letterLanguage } from '../../domain/mail/write-letter.ts';
import { ROLES } from '../../domain/manage/access.ts';
import type { Service } from '../../domain/service.ts';
import { Nullable, Type } from '../../schema.ts';
import type { InvitationRecord, MemberRecord, Role } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { isUuid } from '../../uuid.ts';
import { refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { PROOF_ERRORS, ProofMembers, ProofResponse, proveIfSignedIn } from './proof.ts';
import { Time } from './schemas.ts';

export const RoleShape = Type.Enum([...ROLES], {
  title: 'Role',
  description:
    'viewer: read; translator: read and texts; support: read and users; editor: all of these and the catalog; owner: everything',
});

const LanguagesShape = Type.Array(Type.String(), {
  description: 'tags of the languages that a translator may change',
  minItems: 1,
  maxItems: 200,
});

const MemberParams = Type.Object({ accountId: Type.String({ format: 'uuid' }) });

const InvitationParams = Type.Object({ invitationId: Type.String({ format: 'uuid' }) });

const MemberShape = Type.Object(
  {
    accountId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    role: RoleShape,
    languages: Nullable(LanguagesShape),
    since: Time,
  },
  { title: 'Member' },
);

const InvitationShape = Type.Object(
  {
    invitationId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    role: RoleShape,
    languages: Nullable(LanguagesShape),
    invitedBy: Type.String(),
    createdAt: Time,
    expiresAt: Time,
  },
  { title: 'Invitation' },
);

/** Members and invitations of an application. */
export function memberRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/members', {
    operationId: 'listMembers',
    access: 'own',
    summary: 'List the members of an application',
    description: 'Ordered by address. Administrators are owners of every application and are listed separately.',
    response: {
      200: Type.Object({
        items: Type.Array(MemberShape),
        administrators: Type.Array(Type.String({ description: 'e-mail address' })),
      }),
    },
    async handle({ application }) {
      const { members, accounts } = service.storage;
      const administrators = (await accounts.list()).filter(({ role }) => role === 'administrator');
      return {
        items: (await members.list(application.appId)).map(viewMember),
        administrators: administrators.map(({ email }) => email).sort(),
      };
    },
  });

  applicationRoute('PATCH', '/members/:accountId', {
    operationId: 'changeMember',
    access: 'own',
    summary: 'Change the role of a member',
    description:
      "Applies immediately, to the member's tokens too. Without `languages`, a translator may change all of them. " +
      'A session that makes someone an owner has to send a password or code, as for an invitation.',
    params: MemberParams,
    body: Type.Object({ role: RoleShape, languages: Type.Optional(Nullable(LanguagesShape)), ...ProofMembers }),
    response: { ...ProofResponse, 200: MemberShape },
    errors: ['memberNotFound', 'lastOwner', ...PROOF_ERRORS],
    async handle(context) {
      const { application, params } = context;
      const { role, languages: limits, password, code } = context.readBody();
      if (role === 'owner') await proveIfSignedIn(service, context, { password, code });
      const languages = await readLanguages(service, application.appId, { role, languages: limits });
      const { members } = service.storage;
      const accountId = params.accountId;
      const outcome = isUuid(accountId)
        ? await members.changeRole(application.appId, accountId, role, languages)
        : 'unknown';
      if (outcome === 'last-owner') throw new InnkeeperError('lastOwner');
      const member = (await members.list(application.appId)).find((each) => each.accountId === accountId);
      if (outcome === 'unknown' || !member) throw new InnkeeperError('memberNotFound');
      return viewMember(member);
    },
  });

  applicationRoute('DELETE', '/members/:accountId', {
    operationId: 'removeMember',
    access: 'own',
    summary: 'Remove a member from an application',
    description:
      "Applies immediately, to the member's tokens too, and revokes the invitations they sent. The account stays.",
    params: MemberParams,
    response: { 204: Type.Null({ description: 'The member was removed.' }) },
    errors: ['memberNotFound', 'lastOwner'],
    async handle({ application, params }) {
      const accountId = params.accountId;
      const { members } = service.storage;
      const outcome = isUuid(accountId) ? await members.remove(application.appId, accountId) : 'unknown';
      if (outcome === 'unknown') throw new InnkeeperError('memberNotFound');
      if (outcome === 'last-owner') throw new InnkeeperError('lastOwner');
    },
  });

  applicationRoute('GET', '/invitations', {
    operationId: 'listInvitations',
    access: 'own',
    summary: 'List pending invitations to an application',
    description: 'Newest first.',
    response: { 200: Type.Object({ items: Type.Array(InvitationShape) }) },
    async handle({ application }) {
      const invitations = await service.storage.invitations.list(application.appId, service.now());
      return { items: invitations.map(viewInvitation) };
    },
  });

  applicationRoute('POST', '/invitations', {
    operationId: 'inviteMember',
    access: 'own',
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
      ...ProofResponse,
      201: Type.Object({
        link: Type.String(),
        mailed: Type.Boolean({ description: 'the link was also queued as an e-mail to this address' }),
        ...InvitationShape.properties,
      }),
    },
    errors: ['alreadyMember', 'limitReached', ...PROOF_ERRORS],
    async handle(context) {
      const { application, manager, request } = context;
      const { email, role, languages: limits, password, code } = context.readBody();
      const problem = accountEmailProblem(email);
      if (problem !== undefined) throw refuse('email', problem);
      const languages = await readLanguages(service, application.appId, { role, languages: limits });
      const wanted = { appId: application.appId, email, role, languages };
      await proveIfSignedIn(service, context, { password, code });
      const { link, invitation } = await inviteMember(service, {
        ...wanted,
        invitedBy: manager.author,
        inviterId: manager.accountId,
        credential: manager.credential,
      });
      const sender = manager.signedIn?.account;
      const browser = browserLanguage(request.headers['accept-language']);
      const language = sender ? letterLanguage(sender, browser) : browser;
      const mailed = await mailInvitation(service, { application: application.name, link, invitation, language });
      return { link, mailed, ...viewInvitation(invitation) };
    },
  });

  applicationRoute('DELETE', '/invitations/:invitationId', {
    operationId: 'revokeInvitation',
    access: 'own',
    summary: 'Revoke an invitation',
    params: InvitationParams,
    response: { 204: Type.Null({ description: 'The link no longer works.' }) },
    errors: ['invitationNotFound'],
    async handle({ application, params }) {
      const invitationId = params.invitationId;
      const { invitations } = service.storage;
      const outcome = isUuid(invitationId) ? await invitations.revoke(application.appId, invitationId) : 'unknown';
      if (outcome === 'unknown') throw new InnkeeperError('invitationNotFound');
    },
  });
}

function viewMember({ accountId, email, role, languages, createdAt }: MemberRecord) {
  return { accountId, email, role, languages, since: formatTime(createdAt) };
}

function viewInvitation(invitation: InvitationRecord) {
  const { invitationId, email, role, languages, invitedBy, createdAt, expiresAt } = invitation;
  const times = { createdAt: formatTime(createdAt), expiresAt: formatTime(expiresAt) };
  return { invitationId, email, role, languages, invitedBy, ...times };
}

/** The tags as the catalog or its draft writes them; null: no restriction. */
async function readLanguages(
  { openCatalogs }: Service,
  appId: number,
  { role, languages }: { role: Role; languages?: readonly string[] | null | undefined },
): Promise<string[] | null> {
  if (languages === undefined || languages === null) return null;
  if (role !== 'translator') throw refuse('languages', 'is only for translators');
  const { published, draft } = await openCatalogs.open(appId);
  const known = [...published.languages, ...(draft?.catalog.languages ?? [])].map(({ tag }) => tag);
  const found = languages.map((wanted) => {
    const tag = known.find((each) => each.toLowerCase() === wanted.toLowerCase());
    if (tag === undefined) throw refuse('languages', `has "${wanted}", which is not a language of the application`);
    return tag;
  });
  return [...new Set(found)];
}
