import '@mantine/core/styles/Tabs.css';
import { Button, Code, Group, Paper, ScrollArea, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChangeList } from '../../draft/change-list.tsx';
import { Copy } from '../../shell/copy.tsx';
import { LinkButton } from '../../shell/links.tsx';
import { Moment } from '../../shell/moment.tsx';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import { BackToList } from './comparison.tsx';
import { revisionQuery } from './queries.ts';
import { RestoreButtons } from './restore-buttons.tsx';
import classes from './revisions.module.css';

type Props = { clientId: string; revision: number; newest: number; mayRestore: boolean };

/** Larger catalogs are better read as a file. */
const SHOWN = 100_000;

export function RevisionDetail({ clientId, revision, newest, mayRestore }: Props) {
  const { t } = useTranslation('revisions');
  const { data, isPending, error, refetch } = useQuery(revisionQuery(clientId, revision));
  const [tab, setTab] = useState<string | null>('changes');
  if (isPending) return <LoadingState />;
  if (error) {
    return (
      <>
        <BackToList clientId={clientId} />
        <ErrorState error={error} retry={refetch} />
      </>
    );
  }
  const file = tab === 'file' ? JSON.stringify(data.catalog, null, 2) : '';
  return (
    <Stack>
      <BackToList clientId={clientId} />
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h3">
            {t('revision', { revision })}
          </Title>
          <Text c="dimmed">
            {data.author} · <Moment at={data.createdAt} />
          </Text>
          {data.note !== undefined && (
            <Text mt={4} className={classes.note ?? ''}>
              {data.note}
            </Text>
          )}
        </div>
        <Group gap="xs">
          {revision !== newest && (
            <LinkButton
              variant="default"
              to="/applications/$clientId/revisions"
              params={{ clientId }}
              search={{ from: revision, to: newest }}
            >
              {t('compare.withNewest')}
            </LinkButton>
          )}
          {mayRestore && revision !== newest && (
            <RestoreButtons clientId={clientId} revision={revision} newest={newest} />
          )}
        </Group>
      </Group>
      <Paper withBorder p="md">
        <Tabs value={tab} onChange={setTab}>
          <Tabs.List mb="md">
            <Tabs.Tab value="changes">{t('tab.changes', { count: data.changes.length })}</Tabs.Tab>
            <Tabs.Tab value="file">{t('tab.file')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="changes">
            <ChangeList changes={data.changes} />
          </Tabs.Panel>
          <Tabs.Panel value="file">
            <Group justify="flex-end" mb="xs">
              <Copy value={file} />
              <Button
                size="xs"
                variant="default"
                leftSection={<IconDownload size={14} aria-hidden />}
                onClick={() => download(`catalog-r${revision}.json`, file)}
              >
                {t('download')}
              </Button>
            </Group>
            <ScrollArea.Autosize mah="60vh" viewportProps={{ tabIndex: 0, 'aria-label': t('tab.file') }}>
              <Code block>{file.length > SHOWN ? `${file.slice(0, SHOWN)}\n…` : file}</Code>
            </ScrollArea.Autosize>
          </Tabs.Panel>
        </Tabs>
      </Paper>
    </Stack>
  );
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
