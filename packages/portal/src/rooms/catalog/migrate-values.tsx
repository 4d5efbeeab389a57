import { Button, Group, Modal, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import type { TreeKey } from '../../draft/queries.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { Problem } from '../../shell/states.tsx';

type Scalar = boolean | string | number;
type Migration = { from: Scalar; to: Scalar };
type Props = { clientId: string; treeKey: TreeKey; mayEdit: boolean };

const MIGRATE = '/manage/v1/applications/{clientId}/catalog/keys/{keyUid}/migrate';

/** Retired values with a replacement: users who have one can be moved to the other. */
export function MigrateValues({ clientId, treeKey, mayEdit }: Props) {
  const { t } = useTranslation('catalog');
  const [chosen, setChosen] = useState<Migration>();
  const migrations = (treeKey.values ?? []).flatMap((value): Migration[] =>
    typeof value === 'object' && value.retired && value.replacement !== undefined
      ? [{ from: value.value, to: value.replacement }]
      : [],
  );
  if (migrations.length === 0 || !mayEdit) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('migrate.title')}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          {t('migrate.title')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('migrate.hint')}
        </Text>
        {migrations.map((migration) => (
          <Group key={String(migration.from)} justify="space-between">
            <Text size="sm">{t('migrate.pair', shown(migration))}</Text>
            <Button size="xs" variant="default" onClick={() => setChosen(migration)}>
              {t('migrate.action')}
            </Button>
          </Group>
        ))}
      </Stack>
      {chosen && (
        <MigrateDialog
          clientId={clientId}
          keyUid={treeKey.keyUid}
          migration={chosen}
          onClose={() => setChosen(undefined)}
        />
      )}
    </Paper>
  );
}

function MigrateDialog(props: { clientId: string; keyUid: string; migration: Migration; onClose(): void }) {
  const { clientId, keyUid, migration, onClose } = props;
  const { t } = useTranslation('catalog');
  const queries = useQueryClient();
  const path = { clientId, keyUid };
  const [done, setDone] = useState(0);
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const plan = useQuery({
    queryKey: ['application', clientId, 'migration', keyUid, migration],
    queryFn: async ({ signal }) =>
      (await api.post(MIGRATE, { path, body: { ...migration, dryRun: true }, signal })).data,
    // Count again each time the dialog opens.
    gcTime: 0,
    retry: false,
  });
  const planned = plan.data?.planned ?? 0;
  const migrating = useMutation({
    async mutationFn() {
      // One request takes 20 seconds at most; what is done stays done.
      for (let migrated = 0; ; ) {
        const { data } = await api.post(MIGRATE, { path, body: migration });
        migrated += data.migrated;
        setDone(migrated);
        if (data.remaining === 0 || isLeft.current || data.migrated === 0)
          return { migrated, remaining: data.remaining };
      }
    },
    async onSuccess({ migrated }) {
      notifications.show({ message: t('migrate.done', { count: migrated }) });
      await queries.invalidateQueries({ queryKey: ['application', clientId] });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('migrate.title')}
      closeButtonProps={{ 'aria-label': t('close') }}
      closeOnClickOutside={!migrating.isPending}
    >
      <Stack>
        {plan.isPending && <Text c="dimmed">{t('migrate.counting')}</Text>}
        {plan.data && <Text role="status">{t('migrate.count', { count: planned, ...shown(migration) })}</Text>}
        {migrating.isPending && (
          <Progress value={planned === 0 ? 100 : (100 * done) / planned} aria-label={t('migrate.title')} />
        )}
        <Problem error={plan.error ?? migrating.error} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button
            loading={migrating.isPending}
            disabled={!plan.isSuccess || planned === 0}
            onClick={() => migrating.mutate()}
          >
            {t('migrate.confirm')}
          </Button>
        </DialogActions>
      </Stack>
    </Modal>
  );
}

const shown = ({ from, to }: Migration) => ({ from: String(from), to: String(to) });
