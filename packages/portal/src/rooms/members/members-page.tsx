import { Button, Container, Stack } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { NoPermission } from '../../shell/states.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InviteForm } from './invite-form.tsx';
import { MemberList } from './member-list.tsx';
import { RoleGuide } from './role-guide.tsx';

export function MembersPage() {
  const { t } = useTranslation('members');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/members' });
  const can = useCan(clientId);
  const [inviting, setInviting] = useState(false);
  if (!can('own')) {
    return (
      <>
        <PageHeader title={t('title')} />
        <NoPermission>{t('ownersOnly')}</NoPermission>
      </>
    );
  }
  return (
    <Container size="md" px={0} mx={0}>
      <PageHeader
        title={t('title')}
        description={t('about')}
        actions={
          <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setInviting(true)}>
            {t('invite')}
          </Button>
        }
      />
      <Stack gap="lg">
        <MemberList clientId={clientId} />
        <InvitationList clientId={clientId} />
        <RoleGuide />
      </Stack>
      <InviteForm clientId={clientId} opened={inviting} onClose={() => setInviting(false)} />
    </Container>
  );
}
