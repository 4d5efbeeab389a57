import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from './states.tsx';

/** For actions that cannot be undone: says what will happen, and requires a word to be typed. */
export function ConfirmByTyping(props: {
  opened: boolean;
  title: string;
  children: ReactNode;
  word: string;
  action: string;
  busy?: boolean;
  error?: unknown;
  onConfirm(): void;
  onClose(): void;
}) {
  const { opened, title, children, word, action, busy, error, onConfirm, onClose } = props;
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === word) onConfirm();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <form onSubmit={submit}>
        <Stack>
          <Text component="div">{children}</Text>
          <TextInput
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            label={t('typeToConfirm', { word })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Problem error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button type="submit" color="red" disabled={typed !== word} loading={busy ?? false}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The first one that a keyboard can type: names may contain line breaks, or only invisible characters. */
export function typeable(wanted: string, instead: string): string {
  return /^(?!\s)[^\p{C}\p{Zl}\p{Zp}]{1,80}(?<!\s)$/u.test(wanted) ? wanted : instead;
}
