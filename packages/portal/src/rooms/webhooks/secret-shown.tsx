import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../shell/copy.tsx';
import { useHoldDialog } from '../../shell/once-dialog.tsx';
import classes from '../../shell/text-block.module.css';

/** The secret, shown only this time. */
export function SecretShown({ secret, title, onClose }: { secret: string; title: string; onClose(): void }) {
  const { t } = useTranslation('webhooks');
  const { t: shell } = useTranslation();
  useHoldDialog();
  return (
    <Stack>
      <Alert color="green" icon={<IconKey aria-hidden />} title={title} role="status">
        {t('secret.text')}
      </Alert>
      <Code block className={classes.body ?? ''} tabIndex={0} role="region" aria-label={t('secret.label')}>
        {secret}
      </Code>
      <Group justify="space-between">
        <CopyButton isMain variant="filled" value={secret} label={t('secret.copy')} />
        <Button variant="default" onClick={onClose}>
          {shell('close')}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {t('secret.once')}
      </Text>
    </Stack>
  );
}
