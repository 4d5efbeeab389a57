import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

/** The consequences of a setting as currently chosen. */
export function SettingWarning({ text }: { text: string }) {
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} role="note">
      {text}
    </Alert>
  );
}
