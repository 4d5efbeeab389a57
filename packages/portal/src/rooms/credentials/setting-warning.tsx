import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';

/** What a setting, as it is chosen now, lets happen. */
export function SettingWarning({ text }: { text: string }) {
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} role="note">
      {text}
    </Alert>
  );
}
