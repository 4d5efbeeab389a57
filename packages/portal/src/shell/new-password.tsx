import { isInnkeeperError } from '@innkeeper/client/manage';
import { PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const MIN = 12;

/** A field for choosing a password, with its rules; `error` is the service's. */
export function NewPassword(props: {
  value: string;
  onChange(value: string): void;
  error: unknown;
  autoFocus?: boolean;
}) {
  const { value, onChange, error, autoFocus = false } = props;
  const { t } = useTranslation();
  const problem = () => {
    if (!isFieldProblem(error, 'password')) return undefined;
    return [...value].length < MIN ? t('newPassword.tooShort') : t('newPassword.refused');
  };
  return (
    <PasswordInput
      required
      withAsterisk={false}
      label={t('newPassword.label')}
      description={t('newPassword.rules')}
      autoComplete="new-password"
      minLength={MIN}
      autoFocus={autoFocus}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={problem()}
    />
  );
}

/** Whether the service refused this field, so that the form shows the error there. */
export function isFieldProblem(error: unknown, field: string): boolean {
  return isInnkeeperError(error) && error.status === 400 && error.errors.some((each) => each.field === field);
}
