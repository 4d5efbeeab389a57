import { Alert, Button, Checkbox, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../shell/copy.tsx';
import { download } from '../../shell/download.ts';
import { useHoldDialog } from '../../shell/once-dialog.tsx';

/** Shown only once: the dialog does not close by accident before they are saved. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept(): void }) {
  useHoldDialog();
  const { t } = useTranslation('account');
  const [kept, setKept] = useState(false);
  const lines = codes.join('\n');
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
        <CopyButton value={lines} label={t('copyAll')} />
        <Button
          variant="default"
          onClick={() => download('innkeeper-recovery-codes.txt', 'text/plain', `${lines}\n`)}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('downloadCodes')}
        </Button>
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
