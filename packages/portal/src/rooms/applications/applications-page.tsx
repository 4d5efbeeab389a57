import { Badge, Button, Container, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconApps, IconPlus, IconSearch } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loadWhenReachable } from '../../api/connection.ts';
import { allApplicationsQuery, sessionQuery } from '../../api/queries.ts';
import { Copyable } from '../../shell/copy.tsx';
import { LinkAnchor } from '../../shell/links.tsx';
import { Moment } from '../../shell/moment.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { EmptyState } from '../../shell/states.tsx';
import { useOnceSet } from '../../shell/use-once-set.ts';
import { ApplicationFacts } from './application-facts.tsx';
import classes from './applications.module.css';

/** Loaded on first use, so that the list, the first page after sign-in, stays small. */
const CreateApplication = lazy(
  loadWhenReachable(async () => ({ default: (await import('./create-application.tsx')).CreateApplication })),
);

/** From this many on, people search instead of browsing. */
const MANY = 6;

export function ApplicationsPage() {
  const { t } = useTranslation('applications');
  const { data: applications } = useSuspenseQuery(allApplicationsQuery);
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [creating, create] = useDisclosure();
  const isCreateWanted = useOnceSet(creating);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = applications.filter(
    ({ name, clientId }) => name.toLowerCase().includes(wanted) || clientId.includes(wanted),
  );
  const button = session.administrator && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create.open}>
      {t('create')}
    </Button>
  );
  return (
    <Container size="md" px={0}>
      <PageHeader title={t('title')} description={t('description')} actions={applications.length > 0 && button} />
      <Suspense>{isCreateWanted && <CreateApplication opened={creating} onClose={create.close} />}</Suspense>
      {applications.length === 0 ? (
        <EmptyState icon={IconApps} title={t('empty.title')} action={button}>
          {session.administrator ? t('empty.text') : t('empty.ask')}
        </EmptyState>
      ) : (
        <Stack>
          {applications.length >= MANY && (
            <TextInput
              type="search"
              aria-label={t('search')}
              placeholder={t('search')}
              leftSection={<IconSearch size={16} aria-hidden />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          )}
          <Text size="sm" c="dimmed" role="status">
            {wanted === ''
              ? t('count', { count: applications.length })
              : t('found', { count: shown.length, total: applications.length })}
          </Text>
          <Stack gap="xs" component="ul" className={classes.list ?? ''}>
            {shown.map(({ clientId, name, createdAt, access }) => (
              <Paper key={clientId} component="li" withBorder p="md" className={classes.item ?? ''}>
                <Group justify="space-between" wrap="nowrap" align="flex-start">
                  <LinkAnchor
                    to="/applications/$clientId"
                    params={{ clientId }}
                    fw={600}
                    c="inherit"
                    className={classes.link ?? ''}
                  >
                    {name}
                  </LinkAnchor>
                  <Badge variant="light" color={access === 'own' ? 'inn' : 'gray'} miw="max-content">
                    {t(`access.${access}`)}
                  </Badge>
                </Group>
                <ApplicationFacts clientId={clientId} />
                <Group justify="space-between" gap="xs" mt={6}>
                  <div className={classes.above}>
                    <Copyable value={clientId} label={t('copyClientId')} />
                  </div>
                  <Text size="sm" c="dimmed">
                    {t('created')} <Moment at={createdAt} />
                  </Text>
                </Group>
              </Paper>
            ))}
          </Stack>
        </Stack>
      )}
    </Container>
  );
}
