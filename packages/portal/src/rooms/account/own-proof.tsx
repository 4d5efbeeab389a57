import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert, Code, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { signInMethodsQuery } from '../../api/queries.ts';

/** From the session: what a sensitive action requires. */
export type Needs = { email: string; needsPassword: boolean; needsLink: boolean; totp: boolean };
export type ProvenDialogProps = { opened: boolean; onClose(): void; needs: Needs };
export type Proof = { password?: string; code?: string };

export const NO_PROOF: Proof = {};

/** The password, a code, or how to get a sign-in link. `error` is the service's. */
export function OwnProof(props: {
  needs: Needs;
  value: Proof;
  onChange(value: Proof): void;
  error: unknown;
  focus?: boolean;
}) {
  const { needs, value, onChange, error, focus } = props;
  const { t } = useTranslation('account');
  const { data: methods } = useQuery(signInMethodsQuery);
  if (asksForLink(needs, error)) {
    if (methods?.oidc) {
      return (
        <Alert color="yellow" title={t('againNeeded')}>
          {t('againNeededText', methods.oidc)}
        </Alert>
      );
    }
    return (
      <Alert color="yellow" title={t('linkNeeded')}>
        {t('linkNeededText')}
        <Code block mt="xs">{`innkeeper admin create --email ${needs.email}`}</Code>
      </Alert>
    );
  }
  const tooMany = isTooMany(error) ? t('tooMany') : undefined;
  return (
    <>
      {needs.needsPassword && (
        <PasswordInput
          required
          withAsterisk={false}
          label={t('ownPassword')}
          description={t('ownPasswordHint')}
          autoComplete="current-password"
          value={value.password ?? ''}
          onChange={(event) => onChange({ ...value, password: event.currentTarget.value })}
          error={isWrongPassword(error) ? t('wrongPassword') : tooMany}
          {...(focus && { 'data-autofocus': true })}
        />
      )}
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
          error={isWrongCode(error) ? t('ownCodeWrong') : needs.needsPassword ? undefined : tooMany}
          {...(focus && !needs.needsPassword && { 'data-autofocus': true })}
        />
      )}
    </>
  );
}

/** Errors that the fields themselves show, as far as they are visible: the requirements may have changed since. */
export function isOfProof(needs: Needs, error: unknown): boolean {
  const { needsPassword, totp } = needs;
  if (asksForLink(needs, error)) return true;
  if (isTooMany(error)) return needsPassword || totp;
  return (needsPassword && isWrongPassword(error)) || (totp && isWrongCode(error));
}

/** Nothing to fill in: the action is not available until the next sign-in. */
export function asksForLink({ needsLink }: Needs, error?: unknown): boolean {
  return needsLink || (isInnkeeperError(error) && error.body.needs === 'link');
}

function isWrongPassword(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 403 && error.body.needs === undefined;
}

function isWrongCode(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 403 && error.body.needs === 'code';
}

function isTooMany(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 429;
}
