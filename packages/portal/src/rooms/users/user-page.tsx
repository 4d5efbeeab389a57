import '@mantine/core/styles/Tabs.css';
import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert, Anchor, Button, Card, Container, Group, Menu, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import {
  IconArrowLeft,
  IconChevronDown,
  IconDownload,
  IconLink,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { api, SERVICE_URL } from '../../api/client.ts';
import { ConfirmByTyping, typeable } from '../../shell/confirm-by-typing.tsx';
import { Copy } from '../../shell/copy.tsx';
import { download } from '../../shell/download.ts';
import { LinkAnchor, LinkButton } from '../../shell/links.tsx';
import { Moment } from '../../shell/moment.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { NotificationText, notifyProblem } from '../../shell/notify.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { ErrorState, LoadingState, NoPermission } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { EventList } from '../events/event-list.tsx';
import type { EventType } from '../events/event-types.ts';
import { userQuery } from './queries.ts';
import { UserHistory } from './user-history.tsx';
import { useUserLink } from './user-link.tsx';
import { UserSelections } from './user-selections.tsx';
import { RenameUser, useUserStatus } from './user-status.tsx';
import { UserTokens } from './user-tokens.tsx';

export function UserPage() {
  const { t } = useTranslation('users');
  const { clientId, userUid } = useParams({ from: '/frame/applications/$clientId/users/$userUid' });
  const can = useCan(clientId);
  if (can('users')) return <User clientId={clientId} userUid={userUid} />;
  return (
    <>
      <PageHeader title={t('title')} />
      <NoPermission>{t('noPermission')}</NoPermission>
    </>
  );
}

function User({ clientId, userUid }: { clientId: string; userUid: string }) {
  const { t } = useTranslation('users');
  const user = useQuery(userQuery(clientId, userUid));
  if (user.isPending) return <LoadingState />;
  if (isInnkeeperError(user.error) && user.error.status === 404) {
    const toUsers = (
      <LinkButton to="/applications/$clientId/users" params={{ clientId }}>
        {t('back')}
      </LinkButton>
    );
    return <NotFound action={toUsers} />;
  }
  if (user.isLoadingError) return <ErrorState error={user.error} retry={() => user.refetch()} />;
  const { clientUserId, clientUserName, email, status, createdAt, accessTokens } = user.data;
  return (
    <Container size="lg" px={0} mx={0}>
      <LinkAnchor to="/applications/$clientId/users" params={{ clientId }} size="sm">
        <Group gap={4} component="span">
          <IconArrowLeft size={14} aria-hidden />
          {t('back')}
        </Group>
      </LinkAnchor>
      <PageHeader
        title={clientUserName}
        actions={<UserActions clientId={clientId} userUid={userUid} user={{ clientUserId, clientUserName, status }} />}
      />
      {status === 'suspended' && (
        <Alert
          color="yellow"
          variant="light"
          mb="lg"
          icon={<IconPlayerPause aria-hidden />}
          title={t('status.suspended')}
        >
          {t('status.suspendedText')}
        </Alert>
      )}
      <Card withBorder mb="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <Fact name={t('clientUserId')} value={clientUserId} copy />
          <Fact name={t('uid')} value={userUid} copy />
          <Fact
            name={t('email')}
            value={
              email === '' ? (
                <Text c="dimmed">–</Text>
              ) : (
                <Anchor href={`mailto:${encodeURIComponent(email)}`}>{email}</Anchor>
              )
            }
          />
          <Fact name={t('created')} value={<Moment at={createdAt} />} />
        </SimpleGrid>
      </Card>
      <Tabs defaultValue="selections" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="selections">{t('selections.title')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('history.title')}</Tabs.Tab>
          <Tabs.Tab value="events">{t('events')}</Tabs.Tab>
          <Tabs.Tab value="tokens">{t('tokens.title', { count: accessTokens.length })}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="selections">
          <UserSelections clientId={clientId} userUid={userUid} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <UserHistory clientId={clientId} userUid={userUid} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <UserEvents clientId={clientId} userUid={userUid} />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <UserTokens clientId={clientId} userUid={userUid} tokens={accessTokens} />
        </Tabs.Panel>
      </Tabs>
    </Container>
  );
}

function UserEvents(of: { clientId: string; userUid: string }) {
  const [type, setType] = useState<EventType>();
  return <EventList {...of} type={type} onType={setType} />;
}

function Fact({ name, value, copy = false }: { name: string; value: ReactNode; copy?: boolean }) {
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" component="div" {...(copy && { ff: 'monospace' })}>
          {value}
        </Text>
        {copy && typeof value === 'string' && <Copy value={value} />}
      </Group>
    </Stack>
  );
}

type Named = { clientUserId: string; clientUserName: string; status: 'active' | 'suspended' };

function UserActions({ clientId, userUid, user }: { clientId: string; userUid: string; user: Named }) {
  const { clientUserId, clientUserName, status } = user;
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const path = { clientId, userUid };
  const exporting = useMutation({
    mutationFn: async () => (await api.get('/manage/v1/applications/{clientId}/users/{userUid}/export', { path })).data,
    onSuccess: (data) => download(`user-${userUid}.json`, 'application/json', JSON.stringify(data, null, 2)),
    onError: notifyProblem,
  });
  const exportOnce = useMutateOnce(exporting);
  const link = useUserLink(clientId, userUid);
  const [isRenamed, renaming] = useDisclosure();
  const suspending = useUserStatus(clientId, userUid, status);
  const erasing = useMutation({
    mutationFn: () => api.delete('/manage/v1/applications/{clientId}/users/{userUid}', { path }),
    async onSuccess() {
      const receipt = `${SERVICE_URL}/manage/v1/applications/${encodeURIComponent(clientId)}/users/${userUid}/deletion-receipt`;
      notifications.show({
        autoClose: 20_000,
        message: (
          <NotificationText
            act={
              <Button component="a" href={receipt} download size="compact-sm" variant="default" miw="max-content">
                {t('erase.receipt')}
              </Button>
            }
          >
            {t('erase.done', { clientUserId })}
          </NotificationText>
        ),
      });
      await navigate({ to: '/applications/$clientId/users', params: { clientId } });
      queries.removeQueries({ queryKey: ['application', clientId, 'users', userUid] });
      await queries.invalidateQueries({ queryKey: ['application', clientId] });
    },
  });
  const eraseOnce = useMutateOnce(erasing);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            rightSection={<IconChevronDown size={14} aria-hidden />}
            loading={exporting.isPending || link.isPending || suspending.isPending}
          >
            {t('actions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={renaming.open}>
            {t('rename.action')}
          </Menu.Item>
          <Menu.Item
            leftSection={
              status === 'active' ? <IconPlayerPause size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />
            }
            onClick={() => suspending.toggle()}
          >
            {status === 'active' ? t('status.suspend') : t('status.resume')}
          </Menu.Item>
          <Menu.Item leftSection={<IconLink size={16} aria-hidden />} onClick={() => link.create()}>
            {t('link.action')}
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={() => exportOnce()}>
            {t('export')}
          </Menu.Item>
          <Menu.Item
            component="a"
            href={`${SERVICE_URL}/manage/v1/applications/${encodeURIComponent(clientId)}/users/${userUid}/export?format=html`}
            download
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('exportPage')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={open}>
            {t('erase.action')}…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmByTyping
        opened={isOpen}
        title={t('erase.title')}
        word={typeable(clientUserId, userUid)}
        action={t('erase.action')}
        busy={erasing.isPending}
        error={erasing.error}
        onConfirm={() => eraseOnce()}
        onClose={close}
      >
        {t('erase.text')}
      </ConfirmByTyping>
      {link.dialog}
      {isRenamed && (
        <RenameUser
          clientId={clientId}
          userUid={userUid}
          name={clientUserName}
          id={clientUserId}
          onClose={renaming.close}
        />
      )}
    </>
  );
}
