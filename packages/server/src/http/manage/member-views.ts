import { ROLES } from '../../domain/members/role.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { InvitationRecord, MemberRecord, Role } from '../../storage/port.ts';
import { formatTime } from '../time.ts';
import { refuse } from './input.ts';
import { Nullable, Time } from './schemas.ts';

export const RoleShape = Type.Enum([...ROLES], {
  title: 'Role',
  description:
    'viewer: read; translator: read and texts; support: read and users; editor: all of these and the catalog; owner: everything',
});

export const LanguagesShape = Type.Array(Type.String(), {
  description: 'tags of the languages that a translator may change',
  minItems: 1,
  maxItems: 200,
});

export const MemberParams = Type.Object({ accountId: Type.String({ format: 'uuid' }) });
export const InvitationParams = Type.Object({ invitationId: Type.String({ format: 'uuid' }) });

export const MemberShape = Type.Object(
  {
    accountId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    role: RoleShape,
    languages: Nullable(LanguagesShape),
    since: Time,
  },
  { title: 'Member' },
);

export const InvitationShape = Type.Object(
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

export function viewMember({ accountId, email, role, languages, createdAt }: MemberRecord) {
  return { accountId, email, role, languages, since: formatTime(createdAt) };
}

export function viewInvitation(invitation: InvitationRecord) {
  const { invitationId, email, role, languages, invitedBy, createdAt, expiresAt } = invitation;
  const times = { createdAt: formatTime(createdAt), expiresAt: formatTime(expiresAt) };
  return { invitationId, email, role, languages, invitedBy, ...times };
}

/** The tags as the catalog or its draft writes them; null: no limit. */
export async function readLanguages(
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
    if (tag === undefined) throw refuse('languages', `has "${wanted}", which is no language of the application`);
    return tag;
  });
  return [...new Set(found)];
}
