import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

export function Copy({ value, label, onCopy }: { value: string; label?: string; onCopy?: () => void }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('copied') : (label ?? t('copy'))}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={() => {
              copy();
              onCopy?.();
            }}
            aria-label={copied ? t('copied') : (label ?? t('copy'))}
          >
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** An identifier with its copy button. */
export function Copyable({ value, label }: { value: string; label?: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text ff="monospace" size="sm">
        {value}
      </Text>
      <Copy value={value} {...(label !== undefined && { label })} />
    </Group>
  );
}
