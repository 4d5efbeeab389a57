import '@mantine/core/styles/Tabs.css';
import {
  Alert,
  Box,
  Button,
  Card,
  Code,
  Container,
  Group,
  PasswordInput,
  Stack,
  Tabs,
  Text,
  Title,
} from '@mantine/core';
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { catalogTreeQuery, nameCatalog } from '../../api/catalog-names.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { knownSecret, madeSecret, rememberTyped } from '../../api/made-secrets.ts';
import { applicationQuery } from '../../api/queries.ts';
import { Copy, Copyable } from '../../shell/copy.tsx';
import { LinkAnchor } from '../../shell/links.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import classes from './connect.module.css';
import { awaitsFirstUser, FirstUser } from './first-user.tsx';
import { SECRET } from './snippets/facts.ts';
import { makeSnippets, SNIPPETS } from './snippets/make-snippets.ts';
import { sampleOf } from './snippets/sample-of.ts';
import { TryIt } from './try-it.tsx';

const TITLES = { curl: 'curl', typescript: 'TypeScript', react: 'React', python: 'Python', php: 'PHP', go: 'Go' };

export function ConnectPage() {
  const { t, i18n } = useTranslation('connect');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/connect' });
  const { data: tree } = useSuspenseQuery(catalogTreeQuery(clientId));
  const can = useCan(clientId);
  const { data: application } = useSuspenseQuery(applicationQuery(clientId));
  const [isUnused] = useState(() => awaitsFirstUser(clientId, application.counts.users));
  // Only in the memory of this tab.
  const made = madeSecret(clientId);
  const [secret, setSecret] = useState(knownSecret(clientId));
  const type = (text: string) => {
    setSecret(text);
    rememberTyped(clientId, text);
  };
  const keys = nameCatalog(tree, i18n)
    .groups.flatMap((group) => group.keys)
    .filter(({ archived }) => !archived);
  const sample = keys.flatMap((key) => sampleOf(key) ?? [])[0];
  const snippets = makeSnippets({ base: SERVICE_URL, clientId, sample, secret: secret.trim() || undefined });
  const language = (tree.languages.find((each) => each.default) ?? tree.languages[0])?.tag;
  const explorer = `${SERVICE_URL}/docs?${new URLSearchParams({ apiKey: clientId, ...(language !== undefined && { language }) })}`;

  return (
    <Container size="lg" px={0} mx={0}>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <Button
            component="a"
            href={explorer}
            target="_blank"
            rel="noreferrer"
            variant="default"
            rightSection={<IconExternalLink size={16} aria-hidden />}
          >
            {t('explorer')}
          </Button>
        }
      />
      <Stack gap="lg">
        <Card withBorder component="section" padding="lg">
          <Title order={2} size="h4">
            {t('snippets.title')}
          </Title>
          <Text size="sm" c="dimmed" mb="md">
            {t('snippets.text')}
          </Text>
          <Group gap="xl" mb="md">
            <Fact name={t('address')} value={SERVICE_URL} />
            <Fact name="clientId (apiKey)" value={clientId} />
          </Group>
          {keys.length === 0 && (
            <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} mb="md" role="note">
              <Trans
                t={t}
                i18nKey="snippets.noKeys"
                components={{
                  catalog: (
                    <LinkAnchor
                      to="/applications/$clientId/catalog"
                      params={{ clientId }}
                      inherit
                      c="inherit"
                      underline="always"
                    />
                  ),
                }}
              />
            </Alert>
          )}
          <PasswordInput
            label={t('snippets.secret')}
            description={
              <Trans
                t={t}
                i18nKey={secret !== '' && secret === made ? 'snippets.secretMade' : 'snippets.secretText'}
                values={{ secret: SECRET, variable: 'INNKEEPER_CLIENT_SECRET' }}
                components={{
                  code: <Code fz="inherit" />,
                  credentials: (
                    <LinkAnchor
                      to="/applications/$clientId/credentials"
                      params={{ clientId }}
                      inherit
                      underline="always"
                    />
                  ),
                }}
              />
            }
            visibilityToggleButtonProps={{ 'aria-label': t('snippets.show'), tabIndex: 0 }}
            value={secret}
            onChange={(event) => type(event.currentTarget.value)}
            // It is not this person's password: the browser must neither offer nor save it.
            autoComplete="off"
            data-1p-ignore
            data-lpignore="true"
            spellCheck={false}
            maw={520}
            mb="md"
          />
          {isUnused && can('users') && <FirstUser clientId={clientId} />}
          <Tabs defaultValue="curl" keepMounted={false}>
            <Tabs.List mb="sm">
              {SNIPPETS.map((name) => (
                <Tabs.Tab key={name} value={name}>
                  {TITLES[name]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {SNIPPETS.map((name) => (
              <Tabs.Panel key={name} value={name}>
                {snippets[name].includes(SECRET) && (
                  <Text size="sm" mb={4}>
                    <Trans
                      t={t}
                      i18nKey="snippets.replace"
                      values={{ secret: SECRET }}
                      components={{ code: <Code fz="inherit" /> }}
                    />
                  </Text>
                )}
                <Box pos="relative">
                  <Box className={classes.copy}>
                    <Copy value={snippets[name]} label={t('snippets.copy', { language: TITLES[name] })} />
                  </Box>
                  <Code block className={classes.code} tabIndex={0} role="region" aria-label={TITLES[name]}>
                    {snippets[name]}
                  </Code>
                </Box>
              </Tabs.Panel>
            ))}
          </Tabs>
        </Card>
        <TryIt clientId={clientId} mayRun={can('write')} />
      </Stack>
    </Container>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <Stack gap={0}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Copyable value={value} />
    </Stack>
  );
}
