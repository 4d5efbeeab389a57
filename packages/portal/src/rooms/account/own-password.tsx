import { isInnkeeperError } from '@innkeeper/client/manage';
import { PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Proof that it is really them. `error` is what the service said of it. */
export function OwnPassword(props: { value: string; onChange(value: string): void; error: unknown; focus?: boolean }) {
  const { value, onChange, error, focus } = props;
  const { t } = useTranslation('account');
  const { t: shell } = useTranslation();
  return (
    <PasswordInput
      required
      withAsterisk={false}
      label={t('ownPassword')}
      autoComplete="current-password"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={isWrongPassword(error) ? t('wrongPassword') : isTooMany(error) ? t('tooMany') : undefined}
      visibilityToggleButtonProps={{ 'aria-label': shell('newPassword.show') }}
      {...(focus && { 'data-autofocus': true })}
    />
  );
}

/** What the field itself shows. */
export function isOfOwnPassword(error: unknown): boolean {
  return isWrongPassword(error) || isTooMany(error);
}

function isWrongPassword(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 403;
}

function isTooMany(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 429;
}
