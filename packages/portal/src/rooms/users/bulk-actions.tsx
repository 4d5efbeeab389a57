import { Button, Group, Menu, Paper, Progress, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { catalogTreeQuery, nameCatalog } from '../../api/catalog-names.ts';
import { api } from '../../api/client.ts';
import { ConfirmByTyping } from '../../shell/confirm-by-typing.tsx';
import { download, downloadParts } from '../../shell/download.ts';
import { notifyProblem } from '../../shell/notify.tsx';
import type { Chosen } from './collect-users.ts';
import { type BulkAct, runBulk } from './run-bulk.ts';
import classes from './users.module.css';
import { createUsersTable, type ExportedUser } from './users-table.ts';

type Props = {
  clientId: string;
  chosen: readonly Chosen[];
  /** Includes users who are not visible: each action asks first. */
  isEverything: boolean;
  /** Called with those for which nothing was done. */
  onDone(left: string[]): void;
};

const USER = '/manage/v1/applications/{clientId}/users/{userUid}';

/** Actions on several users at once: one request each, so that each has its audit entry and its event. */
export function BulkActions({ clientId, chosen, isEverything, onDone }: Props) {
  const { t, i18n } = useTranslation('users');
  const { t: shell } = useTranslation();
  const queries = useQueryClient();
  const [running, setRunning] = useState<{ done: number; of: number }>();
  const [isOpen, { open, close }] = useDisclosure();
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  const run = async (act: BulkAct, work: (userUid: string, signal: AbortSignal) => Promise<unknown>) => {
    if (control.current && !control.current.signal.aborted) return;
    control.current = new AbortController();
    const { signal } = control.current;
    const uids = chosen.map(({ userUid }) => userUid);
    setRunning({ done: 0, of: uids.length });
    close();
    const { failed, left, error } = await runBulk(uids, (userUid) => work(userUid, signal), {
      signal,
      onProgress: (done) => setRunning({ done, of: uids.length }),
    });
    control.current = undefined;
    setRunning(undefined);
    const done = uids.length - failed.length - left.length;
    if (done > 0) notifications.show({ message: t(`bulk.${act}Done`, { count: done }) });
    if (error !== undefined) notifyProblem(error);
    if (act !== 'export') onDone([...failed, ...left]);
    await queries.invalidateQueries({ queryKey: ['application', clientId] });
  };
  const setStatus = (act: 'suspend' | 'resume') =>
    run(act, (userUid, signal) => {
      const status = act === 'suspend' ? 'suspended' : 'active';
      return api.patch(USER, { path: { clientId, userUid }, body: { status }, signal });
    });
  const askForStatus = (act: 'suspend' | 'resume') => {
    if (!isEverything) return void setStatus(act);
    modals.openConfirmModal({
      title: t(`bulk.${act}Title`, { count: chosen.length }),
      children: <Text size="sm">{t(`bulk.${act}Text`)}</Text>,
      labels: { confirm: t(`bulk.${act}`), cancel: shell('cancel') },
      closeButtonProps: { 'aria-label': shell('close') },
      onConfirm: () => void setStatus(act),
    });
  };
  const exportAll = async (format: 'csv' | 'json') => {
    const exported = new Map<string, ExportedUser>();
    await run('export', async (userUid, signal) => {
      exported.set(userUid, (await api.get(`${USER}/export`, { path: { clientId, userUid }, signal })).data);
    });
    if (exported.size === 0) return;
    const inOrder = chosen.flatMap(({ userUid }) => exported.get(userUid) ?? []);
    if (format === 'json') return download('users.json', 'application/json', JSON.stringify(inOrder, null, 2));
    const table = createUsersTable(nameCatalog(await queries.ensureQueryData(catalogTreeQuery(clientId)), i18n));
    inOrder.forEach(table.addExported);
    downloadParts('users.csv', 'text/csv;charset=utf-8', table.parts());
  };
  const has = (status: Chosen['status']) => chosen.some((each) => each.status === status);
  const action = { size: 'compact-sm', variant: 'default', disabled: running !== undefined } as const;
  return (
    <Paper
      withBorder
      px="xs"
      mb="xs"
      component="section"
      className={classes.actions ?? ''}
      aria-label={t('bulk.title')}
    >
      <Group gap="xs">
        <Text size="sm" fw={600} role="status">
          {running ? t('bulk.running', running) : t('bulk.chosen', { count: chosen.length })}
        </Text>
        {running ? (
          <>
            <Progress flex="1 1 40px" value={(running.done / running.of) * 100} aria-label={t('bulk.title')} />
            <Button size="compact-sm" variant="default" onClick={() => control.current?.abort()}>
              {shell('cancel')}
            </Button>
          </>
        ) : (
          <>
            {has('active') && (
              <Button {...action} onClick={() => askForStatus('suspend')}>
                {t('bulk.suspend')}
              </Button>
            )}
            {has('suspended') && (
              <Button {...action} onClick={() => askForStatus('resume')}>
                {t('bulk.resume')}
              </Button>
            )}
            {/* For everyone, there is a button above that exports one file. */}
            {!isEverything && (
              <Menu>
                <Menu.Target>
                  <Button {...action}>{t('filter.export')}</Button>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item onClick={() => void exportAll('csv')}>{t('filter.exportCsv')}</Menu.Item>
                  <Menu.Item onClick={() => void exportAll('json')}>{t('bulk.exportJson')}</Menu.Item>
                </Menu.Dropdown>
              </Menu>
            )}
            <Button {...action} c="red" onClick={open}>
              {t('bulk.delete')}
            </Button>
            <Button size="compact-sm" variant="subtle" color="gray" ml="auto" onClick={() => onDone([])}>
              {t('bulk.none')}
            </Button>
          </>
        )}
      </Group>
      <ConfirmByTyping
        opened={isOpen}
        title={t('bulk.deleteTitle', { count: chosen.length })}
        word={String(chosen.length)}
        action={t('bulk.delete')}
        onConfirm={() =>
          void run('delete', (userUid, signal) => api.delete(USER, { path: { clientId, userUid }, signal }))
        }
        onClose={close}
      >
        {t('bulk.deleteText')}
      </ConfirmByTyping>
    </Paper>
  );
}
