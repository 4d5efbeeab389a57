import { ActionIcon, Button, type ButtonProps, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from './copy-text.ts';
import { MainAct } from './main-act.tsx';
import { Tip } from './tip.tsx';

/** The copy action, and whether it was just done. `onCopy` is only called if copying succeeded. */
export function useCopy(value: string, onCopy?: () => void): { copied: boolean; copy(): Promise<void> } {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const isDone = await copyText(value);
    setCopied(isDone);
    if (isDone) onCopy?.();
    else notifications.show({ color: 'red', message: t('copyFailed') });
  };
  return { copied, copy };
}

type CopyProps = { value: string; label?: string; icon?: typeof IconCopy; onCopy?: () => void };

export function Copy({ value, label, icon: Icon = IconCopy, onCopy }: CopyProps) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy(value, onCopy);
  const name = copied ? t('copied') : (label ?? t('copy'));
  return (
    <Tip label={name}>
      <ActionIcon variant="subtle" color="gray" onClick={() => void copy()} aria-label={name}>
        {copied ? <IconCheck size={16} aria-hidden /> : <Icon size={16} aria-hidden />}
      </ActionIcon>
    </Tip>
  );
}

type CopyButtonProps = Pick<ButtonProps, 'variant'> & {
  value: string;
  label: string;
  icon?: typeof IconCopy;
  /** The main action of the dialog: it has the focus. */
  isMain?: boolean;
  onCopy?: () => void;
};

/** The same with a label. */
export function CopyButton(props: CopyButtonProps) {
  const { value, label, icon: Icon = IconCopy, variant = 'default', isMain = false, onCopy } = props;
  const { t } = useTranslation();
  const { copied, copy } = useCopy(value, onCopy);
  const Act = isMain ? MainAct : Button;
  return (
    <Act
      variant={variant}
      onClick={() => void copy()}
      leftSection={copied ? <IconCheck size={16} aria-hidden /> : <Icon size={16} aria-hidden />}
    >
      {copied ? t('copied') : label}
    </Act>
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
