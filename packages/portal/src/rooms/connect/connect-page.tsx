import { Alert, Box, Button, Card, Code, Container, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconExternalLink, IconInfoCircle } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';

import { Trans, useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { catalogTreeQuery, type NamedKey, nameCatalog } from '../../api/catalog-names.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { Copy, Copyable } from '../../shell/copy.tsx';
import { LinkAnchor } from '../../shell/links.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import classes from './connect.module.css';
import { makeSnippets, type Sample, SECRET, SNIPPETS } from './snippets.ts';
import { TryIt } from './try-it.tsx';

const TITLES = { curl: 'curl', typescript: 'TypeScript', react: 'React', python: 'Python', php: 'PHP', go: 'Go' };

export function ConnectPage() {
  const { t, i18n } = useTranslation('connect');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/connect' });
  const { data: tree } = useSuspenseQuery(catalogTreeQuery(clientId));
  const can = useCan(clientId);
  const keys = nameCatalog(tree, i18n).groups.flatMap((group) => group.keys);
  const sample = keys.filter(({ archived }) => !archived).flatMap((key) => sampleOf(key) ?? [])[0];
  const snippets = makeSnippets({ base: SERVICE_URL, clientId, sample });
  const language = (tree.languages.find((each) => each.default) ?? tree.languages[0])?.tag;
  const explorer = `${SERVICE_URL}/docs?${new URLSearchParams({ apiKey: clientId, ...(language !== undefined && { language }) })}`;

  return (
    <Container size="lg" px={0}>
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
          <Alert variant="light" color="blue" icon={<IconInfoCircle aria-hidden />} mb="md" role="note">
            <Trans
              t={t}
              i18nKey="snippets.secret"
              values={{ secret: SECRET }}
              components={{
                code: <Code />,
                credentials: (
                  <LinkAnchor
                    to="/applications/$clientId/credentials"
                    params={{ clientId }}
                    inherit
                    c="inherit"
                    underline="always"
                  />
                ),
              }}
            />
          </Alert>
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

/** Of a key that offers values, one that is not the first: it is seen to be a choice. */
function sampleOf({ keyUid, groupUid, name, values, multiple }: NamedKey): Sample | undefined {
  const value = (values[1] ?? values[0])?.value;
  return value === undefined || multiple ? undefined : { groupUid, keyUid, keyName: name, value: [value] };
}
