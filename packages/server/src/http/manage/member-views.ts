import { ROLES } from '../../domain/members/role.ts';
import { Type } from '../../schema.ts';
import type { InvitationRecord, MemberRecord } from '../../storage/port.ts';
import { formatTime } from '../time.ts';
import { Time } from './schemas.ts';

export const RoleShape = Type.Enum([...ROLES], {
  title: 'Role',
  description:
    'viewer: read; translator: read and texts; support: read and users; editor: all of these and the catalog; owner: everything',
});

export const MemberParams = Type.Object({ accountId: Type.String({ format: 'uuid' }) });
export const InvitationParams = Type.Object({ invitationId: Type.String({ format: 'uuid' }) });

export const MemberShape = Type.Object(
  { accountId: Type.String({ format: 'uuid' }), email: Type.String(), role: RoleShape, since: Time },
  { title: 'Member' },
);

export const InvitationShape = Type.Object(
  {
    invitationId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    role: RoleShape,
    invitedBy: Type.String(),
    createdAt: Time,
    expiresAt: Time,
  },
  { title: 'Invitation' },
);

export function viewMember({ accountId, email, role, createdAt }: MemberRecord) {
  return { accountId, email, role, since: formatTime(createdAt) };
}

export function viewInvitation(invitation: InvitationRecord) {
  const { invitationId, email, role, invitedBy, createdAt, expiresAt } = invitation;
  const times = { createdAt: formatTime(createdAt), expiresAt: formatTime(expiresAt) };
  return { invitationId, email, role, invitedBy, ...times };
}
