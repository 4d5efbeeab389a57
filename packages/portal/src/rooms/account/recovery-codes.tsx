import { Alert, Button, Checkbox, Code, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** They are shown this once: whoever has not kept them is not let go by accident. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept(): void }) {
  const { t } = useTranslation('account');
  const { t: shell } = useTranslation();
  const [kept, setKept] = useState(false);
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t('keepCodes')}>
        {t('keepCodesText')}
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" role="list" aria-label={t('recoveryCodes')}>
        {codes.map((code) => (
          <Code key={code} role="listitem" fz="sm" p="xs" ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group>
        <CopyButton value={codes.join('\n')}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              {copied ? shell('copied') : t('copyAll')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Checkbox label={t('haveKept')} checked={kept} onChange={(event) => setKept(event.currentTarget.checked)} />
      <Group justify="flex-end">
        <Button disabled={!kept} onClick={onKept}>
          {t('done')}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {t('codesOnce')}
      </Text>
    </Stack>
  );
}
