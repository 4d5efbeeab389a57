import { Paper, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../shell/moment.tsx';
import classes from './overview.module.css';

const LOOKS = {
  ok: { color: 'green', icon: IconCheck },
  failing: { color: 'yellow', icon: IconAlertTriangle },
  unreachable: { color: 'red', icon: IconPlugConnectedX },
} as const;

type Health = {
  kind: 'embedded' | 'remote';
  state: keyof typeof LOOKS;
  averageMilliseconds: number | null;
  lastFailedAt: string | null;
};

export function TokenServiceCard({ health }: { health: Health }) {
  const { t, i18n } = useTranslation('overview');
  const { color, icon: Icon } = LOOKS[health.state];
  return (
    <Paper withBorder p="md" className={classes.card ?? ''}>
      <Text size="sm" c="dimmed">
        {t(`tokenService.${health.kind}`)}
      </Text>
      <div className={classes.state}>
        <ThemeIcon size={26} radius="xl" variant="light" color={color}>
          <Icon size={16} aria-hidden />
        </ThemeIcon>
        <Text fw={650} size="lg">
          {t(`tokenService.state.${health.state}`)}
        </Text>
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {health.averageMilliseconds !== null &&
          t('tokenService.average', {
            time: new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(health.averageMilliseconds),
          })}
        {health.state !== 'ok' && health.lastFailedAt !== null && (
          <>
            {' '}
            {t('tokenService.lastFailed')} <Moment at={health.lastFailedAt} />
          </>
        )}
      </Text>
    </Paper>
  );
}
