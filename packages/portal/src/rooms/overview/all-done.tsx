import { Alert } from '@mantine/core';
import { IconConfetti } from '@tabler/icons-react';
import { Trans, useTranslation } from 'react-i18next';
import { LinkAnchor } from '../../shell/links.tsx';

const ON = {
  users: '/applications/$clientId/users',
  insights: '/applications/$clientId/insights',
  members: '/applications/$clientId/members',
} as const;

/** That all steps are done, and where to go next. */
export function AllDone({ clientId, onClose }: { clientId: string; onClose(): void }) {
  const { t } = useTranslation('overview');
  return (
    <Alert
      role="status"
      icon={<IconConfetti aria-hidden />}
      title={t('next.allDone')}
      withCloseButton
      closeButtonLabel={t('close', { ns: 'shell' })}
      onClose={onClose}
    >
      <Trans
        t={t}
        i18nKey="next.allDoneText"
        components={{
          users: <LinkAnchor to={ON.users} params={{ clientId }} inherit c="inherit" underline="always" />,
          insights: <LinkAnchor to={ON.insights} params={{ clientId }} inherit c="inherit" underline="always" />,
          members: <LinkAnchor to={ON.members} params={{ clientId }} inherit c="inherit" underline="always" />,
        }}
      />
    </Alert>
  );
}
