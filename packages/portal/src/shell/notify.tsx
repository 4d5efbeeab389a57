import { Button, Group, Text } from '@mantine/core';
import { type NotificationData, notifications } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isSignedOut } from '../api/query-client.ts';
import { problemText } from './problem-text.ts';

/** The text of a notification with its action, side by side to cover little. */
export function NotificationText({ children, act }: { children: ReactNode; act: ReactNode }) {
  return (
    <Group component="span" justify="space-between" gap="sm" wrap="nowrap">
      <Text span size="sm">
        {children}
      </Text>
      {act}
    </Group>
  );
}

/** A notification with undo, shown long enough to be read and used. Returns its id. */
export function notifyUndoable({ message, undo, ...rest }: NotificationData & { undo(): unknown }): string {
  const id = notifications.show({
    autoClose: 8_000,
    ...rest,
    message: (
      <NotificationText
        act={
          <UndoButton
            onClick={() => {
              notifications.hide(id);
              undo();
            }}
          />
        }
      >
        {message}
      </NotificationText>
    ),
  });
  return id;
}

function UndoButton({ onClick }: { onClick(): void }) {
  const { t } = useTranslation();
  return (
    <Button size="compact-sm" variant="default" flex="none" onClick={onClick}>
      {t('undo')}
    </Button>
  );
}

/** The failure of an action that has no place of its own to show it. */
export function notifyProblem(error: unknown): void {
  const { title, message } = isSignedOut(error)
    ? { title: i18next.t('signedOut.title'), message: i18next.t('signedOut.kept') }
    : { title: i18next.t('problem'), message: problemText(error) };
  notifications.show({ color: 'red', title, message, autoClose: 8_000 });
}
