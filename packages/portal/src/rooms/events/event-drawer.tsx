import { Drawer, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Copyable } from '../../shell/copy.tsx';
import { dateLocale, readTime } from '../../shell/moment.tsx';
import { TextBlock } from '../../shell/text-block.tsx';
import requests from '../requests/requests.module.css';
import { EventUser } from './event-user.tsx';
import type { ApplicationEvent } from './queries.ts';

type Props = { clientId: string; event: ApplicationEvent | undefined; onClose(): void };

/** Exactly what receivers get. */
export function EventDrawer({ clientId, event, onClose }: Props) {
  const { t, i18n } = useTranslation('events');
  const { t: shell } = useTranslation();
  const time = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'medium' });
  const facts: [name: string, value: ReactNode][] = event
    ? [
        [t('type'), event.type],
        [t('time'), time.format(readTime(event.timestamp))],
        [t('user'), <EventUser key="user" clientId={clientId} event={event} />],
        [t('id'), <Copyable key="id" value={event.id} />],
      ]
    : [];
  return (
    <Drawer
      opened={event !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t('detail')}
      closeButtonProps={{ 'aria-label': shell('close') }}
    >
      {event && (
        <Stack>
          <dl className={requests.facts}>
            {facts.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
          </dl>
          <TextBlock title={t('payload')} text={JSON.stringify(event, null, 2)} copyLabel={t('copyPayload')} />
        </Stack>
      )}
    </Drawer>
  );
}
