import { Stack, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCan } from '../api/access.ts';
import classes from './frame.module.css';
import { LinkNav } from './links.tsx';
import { ROOMS } from './rooms.ts';

export function RoomList({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const can = useCan(clientId);
  const base = `/applications/${clientId}`;
  return (
    <Stack gap="lg">
      {ROOMS.map(({ title, rooms }) => (
        <Stack gap={2} key={title} component="nav" aria-label={t(`areas.${title}`)}>
          <Text size="xs" fw={600} c="dimmed" className={classes.title ?? ''}>
            {t(`areas.${title}`)}
          </Text>
          {rooms.map(({ name, to, icon: Icon, access = 'read' }) => {
            if (!can(access)) return null;
            const own = name === 'overview' ? base : `${base}/${name}`;
            const here = name === 'overview' ? pathname.replace(/\/$/, '') === own : pathname.startsWith(own);
            return (
              <LinkNav
                key={name}
                to={to}
                params={{ clientId }}
                label={t(`room.${name}`)}
                leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
                active={here}
                activeOptions={{ exact: name === 'overview' }}
                aria-current={here ? 'page' : undefined}
                className={classes.room ?? ''}
              />
            );
          })}
        </Stack>
      ))}
    </Stack>
  );
}
