import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../shell/states.tsx';
import { isOfOwnPassword, OwnPassword } from './own-password.tsx';

/** The first step of whatever a stolen session must not do. */
export function PasswordStep(props: {
  about: string;
  action: string;
  color?: string;
  needsPassword: boolean;
  busy: boolean;
  error: unknown;
  onSubmit(body: { password?: string }): void;
  onClose(): void;
}) {
  const { about, action, color, needsPassword, busy, error, onSubmit, onClose } = props;
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(needsPassword ? { password } : {});
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{about}</Text>
        {needsPassword && <OwnPassword value={password} onChange={setPassword} error={error} focus />}
        {!isOfOwnPassword(error) && <Problem error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={busy} {...(color !== undefined && { color })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
