import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../../shell/links.tsx';
import classes from './events.module.css';
import type { ApplicationEvent } from './queries.ts';
import { readEvent } from './read-event.ts';

export function EventUser({ clientId, event }: { clientId: string; event: ApplicationEvent }) {
  const { t } = useTranslation('events');
  const { userUid, name, isDeleted } = readEvent(event);
  if (userUid === undefined) return <>–</>;
  if (isDeleted) {
    return (
      <Text span size="sm" c="dimmed" title={userUid}>
        {t('deletedUser')}
      </Text>
    );
  }
  return (
    <LinkAnchor
      size="sm"
      className={classes.user}
      to="/applications/$clientId/users/$userUid"
      params={{ clientId, userUid }}
    >
      {name ?? userUid}
    </LinkAnchor>
  );
}
