import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert, Badge, Button, Code, Group, List, Modal, ScrollArea, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconRocket } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { LinkButton } from '../../shell/links.tsx';
import { LoadingState, Problem } from '../../shell/states.tsx';
import { draftQuery } from './queries.ts';
import type { Sheet } from './sheet.ts';

/** More are not read through. */
const TOLD = 100;
const SETTLED = 700;

/** What is in the draft goes to the users of the application; a draft of texts alone can be published from here. */
export const PublishButton = memo(function PublishButton(props: {
  clientId: string;
  sheet: Sheet;
  /** Nothing is on its way to the draft. */
  isSettled: boolean;
  loads: number;
}) {
  const { clientId, sheet, isSettled, loads } = props;
  const { t } = useTranslation('translations');
  const [opened, dialog] = useDisclosure();
  const { data, refetch } = useQuery({
    ...draftQuery(clientId, { withPlan: false }),
    placeholderData: keepPreviousData,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when rows were loaded
  useEffect(() => {
    if (!isSettled) return;
    // Not with every text: somebody types the next one.
    const timer = setTimeout(() => void refetch(), SETTLED);
    return () => clearTimeout(timer);
  }, [isSettled, loads, refetch]);
  const count = data?.draft?.changeCount ?? 0;
  return (
    <>
      <Button
        leftSection={<IconRocket size={16} aria-hidden />}
        rightSection={
          count > 0 && (
            <Badge size="sm" circle={count < 10} variant="white" color="inn">
              {count}
            </Badge>
          )
        }
        disabled={count === 0}
        onClick={dialog.open}
      >
        {t('publish.button')}
      </Button>
      <Modal
        closeButtonProps={{ 'aria-label': t('close') }}
        opened={opened}
        onClose={dialog.close}
        title={t('publish.title')}
        size="lg"
      >
        <PublishForm clientId={clientId} sheet={sheet} onDone={dialog.close} />
      </Modal>
    </>
  );
});

function PublishForm({ clientId, sheet, onDone }: { clientId: string; sheet: Sheet; onDone: () => void }) {
  const { t } = useTranslation('translations');
  const client = useQueryClient();
  const looked = useQuery({
    queryKey: [...draftQuery(clientId, { withPlan: true }).queryKey, 'settled'],
    staleTime: 0,
    gcTime: 0,
    queryFn: async (context) => {
      await sheet.settled();
      return (
        await api.get('/manage/v1/applications/{clientId}/catalog/draft', {
          path: { clientId },
          signal: context.signal,
        })
      ).data;
    },
  });
  const draft = looked.data?.draft;
  const publish = useMutation({
    mutationFn: async () => {
      if (!draft || !looked.data) return;
      await api.post('/manage/v1/applications/{clientId}/catalog/draft/publish', {
        path: { clientId },
        ifMatch: draft.etag,
        body: draft.revisions.length > 0 ? { over: looked.data.revision } : {},
      });
    },
    async onSuccess() {
      notifications.show({ message: t('publish.done'), color: 'inn' });
      onDone();
      await client.invalidateQueries({ queryKey: ['application', clientId] });
    },
    onError(error) {
      // Somebody changed it meanwhile: what is to be published is looked at again.
      if (isInnkeeperError(error) && error.status === 412) void looked.refetch();
    },
  });

  if (looked.isPending) return <LoadingState />;
  if (looked.isError) return <Problem error={looked.error} />;
  if (!draft) return <Text>{t('publish.nothing')}</Text>;
  const changes = draft.plan?.changes ?? [];
  const breaking = draft.plan?.breaking ?? [];
  const isOurs = draft.textsOnly;
  return (
    <Stack>
      <Text size="sm">{t('publish.text', { count: draft.changeCount })}</Text>
      {!isOurs && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{t('publish.structure')}</Text>
            <LinkButton size="xs" variant="default" to="/applications/$clientId/catalog" params={{ clientId }}>
              {t('empty.toCatalog')}
            </LinkButton>
          </Stack>
        </Alert>
      )}
      {isOurs && draft.revisions.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          {t('publish.outdated', { count: draft.revisions.length })}
        </Alert>
      )}
      <ScrollArea.Autosize mah="40vh" type="auto" offsetScrollbars>
        <List size="sm" spacing={6} listStyleType="none">
          {changes.slice(0, TOLD).map(({ kind, subject, path, details }) => (
            <List.Item key={`${kind} ${subject} ${path}`}>
              <Code>{path}</Code>
              {details.map((detail) => (
                <Text key={detail} size="sm" c="dimmed" dir="auto">
                  {detail}
                </Text>
              ))}
            </List.Item>
          ))}
        </List>
        {changes.length > TOLD && <Text size="sm">{t('publish.more', { count: changes.length - TOLD })}</Text>}
      </ScrollArea.Autosize>
      <Problem error={publish.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
        {isOurs && breaking.length === 0 && (
          <Button
            loading={publish.isPending}
            leftSection={<IconRocket size={16} aria-hidden />}
            onClick={() => publish.mutate()}
          >
            {t('publish.now')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
