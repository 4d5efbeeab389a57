import { Card, Container, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { applicationQuery } from '../../api/queries.ts';
import { AskBeforeLeaving } from '../../draft/ask-before-leaving.tsx';
import { Copyable } from '../../shell/copy.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import bar from '../../shell/save-bar.module.css';
import { DeleteApplication } from './delete-application.tsx';
import { Name } from './name.tsx';
import { Secrets } from './secrets.tsx';
import { SettingsForm } from './settings-form.tsx';

export function CredentialsPage() {
  const { t } = useTranslation('credentials');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/credentials' });
  const { data: application } = useSuspenseQuery(applicationQuery(clientId));
  const { users, moreUsers } = application.counts;
  const mayChange = useCan(clientId)('own');
  return (
    <Container size="md" px={0} mx={0}>
      <AskBeforeLeaving />
      <PageHeader title={t('title')} description={mayChange ? t('description') : t('readOnly')} />
      <Stack gap="lg">
        <Section title="clientId" text={t('clientId')}>
          <Copyable value={clientId} label={t('copyClientId')} />
        </Section>
        <Section title={t('secrets.title')} text={t('secrets.text')}>
          <Secrets clientId={clientId} secrets={application.secrets} mayChange={mayChange} />
        </Section>
        <Section title={t('settings.title')} text={t('settings.text')}>
          <SettingsForm
            clientId={clientId}
            settings={application.settings}
            name={application.name}
            mayChange={mayChange}
          />
        </Section>
        <Section title={t('name.title')} text={t('name.text')}>
          <Name clientId={clientId} name={application.name} mayChange={mayChange} />
        </Section>
        {mayChange && (
          <Section title={t('delete.title')} text={t(moreUsers ? 'delete.textMany' : 'delete.text', { count: users })}>
            <DeleteApplication clientId={clientId} name={application.name} />
          </Section>
        )}
      </Stack>
    </Container>
  );
}

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Card withBorder component="section" padding="lg" className={bar.card ?? ''}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {text}
      </Text>
      {children}
    </Card>
  );
}
