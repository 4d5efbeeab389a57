import { isInnkeeperError } from '@innkeeper/client/manage';
import { PasswordInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Of the session: what it asks for before something that a stolen one must not do. */
export type Needs = { needsPassword: boolean; totp: boolean };
export type Proof = { password?: string; code?: string };

export const NO_PROOF: Proof = {};

/** That it is really them. `error` is what the service said of it. */
export function OwnProof(props: {
  needs: Needs;
  value: Proof;
  onChange(value: Proof): void;
  error: unknown;
  focus?: boolean;
}) {
  const { needs, value, onChange, error, focus } = props;
  const { t } = useTranslation('account');
  const { t: shell } = useTranslation();
  if (!needs.needsPassword) return null;
  return (
    <>
      <PasswordInput
        required
        withAsterisk={false}
        label={t('ownPassword')}
        autoComplete="current-password"
        value={value.password ?? ''}
        onChange={(event) => onChange({ ...value, password: event.currentTarget.value })}
        error={isWrongPassword(error) ? t('wrongPassword') : isTooMany(error) ? t('tooMany') : undefined}
        visibilityToggleButtonProps={{ 'aria-label': shell('newPassword.show') }}
        {...(focus && { 'data-autofocus': true })}
      />
      {needs.totp && (
        <TextInput
          required
          withAsterisk={false}
          label={t('ownCode')}
          description={t('ownCodeHint')}
          autoComplete="one-time-code"
          spellCheck={false}
          value={value.code ?? ''}
          onChange={(event) => onChange({ ...value, code: event.currentTarget.value })}
          error={isWrongCode(error) ? t('ownCodeWrong') : undefined}
        />
      )}
    </>
  );
}

/** What the fields themselves show, as far as they are there: what is needed may have changed since. */
export function isOfProof({ needsPassword, totp }: Needs, error: unknown): boolean {
  return needsPassword && (isWrongPassword(error) || isTooMany(error) || (totp && isWrongCode(error)));
}

function isWrongPassword(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 403 && error.body.needs !== 'code';
}

function isWrongCode(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 403 && error.body.needs === 'code';
}

function isTooMany(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 429;
}
