import { ActionIcon, Group, NumberInput, Paper, Stack, Tooltip } from '@mantine/core';
import { IconArrowLeft, IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ChangeList } from '../../draft/change-list.tsx';
import { LinkButton } from '../../shell/links.tsx';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import { comparisonQuery } from './queries.ts';

type Props = { clientId: string; from: number; to: number; newest: number };

/** The changes from one revision to another; 0 is the empty catalog that all begin with. */
export function Comparison({ clientId, from, to, newest }: Props) {
  const { t } = useTranslation('revisions');
  const navigate = useNavigate();
  const comparison = useQuery(comparisonQuery(clientId, from, to));
  const show = (search: { from: number; to: number }) =>
    void navigate({ to: '/applications/$clientId/revisions', params: { clientId }, search, replace: true });
  const bounds = { min: 0, max: newest, clampBehavior: 'strict', allowDecimal: false, w: 130 } as const;
  return (
    <Stack>
      <BackToList clientId={clientId} />
      <Paper withBorder p="md">
        <Group align="flex-end" gap="sm" mb="md">
          <NumberInput
            {...bounds}
            label={t('compare.from')}
            value={from}
            onChange={(value) => typeof value === 'number' && show({ from: value, to })}
          />
          <Tooltip label={t('compare.swap')}>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t('compare.swap')}
              onClick={() => show({ from: to, to: from })}
            >
              <IconArrowsExchange size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <NumberInput
            {...bounds}
            label={t('compare.to')}
            value={to}
            onChange={(value) => typeof value === 'number' && show({ from, to: value })}
          />
        </Group>
        {comparison.isPending && <LoadingState />}
        {comparison.isError && <ErrorState error={comparison.error} retry={() => comparison.refetch()} />}
        {comparison.data && <ChangeList changes={comparison.data.changes} />}
      </Paper>
    </Stack>
  );
}

export function BackToList({ clientId }: { clientId: string }) {
  const { t } = useTranslation('revisions');
  return (
    <Group>
      <LinkButton
        variant="subtle"
        px={4}
        leftSection={<IconArrowLeft size={16} aria-hidden />}
        to="/applications/$clientId/revisions"
        params={{ clientId }}
        search={{}}
      >
        {t('back')}
      </LinkButton>
    </Group>
  );
}
