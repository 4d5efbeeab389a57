import { Button, Center, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Copyable } from '../../shell/copy.tsx';
import { isFieldProblem } from '../../shell/new-password.tsx';
import { OnceDialog, SHOWN_ONCE } from '../../shell/once-dialog.tsx';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import type { Proof, ProvenDialogProps } from './own-proof.tsx';
import { ProofStep } from './proof-step.tsx';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The password, then the secret and a first code, then the recovery codes. */
export function TotpEnrol({ opened, onClose, needs }: ProvenDialogProps) {
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const begin = useMutation({
    mutationFn: async (body: Proof) => (await api.post('/manage/v1/account/totp', { body })).data,
  });
  const confirm = useMutation({
    mutationKey: SHOWN_ONCE,
    mutationFn: async (code: string) => (await api.put('/manage/v1/account/totp', { body: { code } })).data,
  });
  const close = () => {
    if (confirm.isSuccess) void client.invalidateQueries({ queryKey: ['session'] });
    begin.reset();
    confirm.reset();
    onClose();
  };
  const beginOnce = useMutateOnce(begin);
  const confirmOnce = useMutateOnce(confirm);
  return (
    <OnceDialog opened={opened} onClose={close} title={t('totp')}>
      {confirm.data ? (
        <RecoveryCodes codes={confirm.data.recoveryCodes} onKept={close} />
      ) : begin.data ? (
        <Confirm {...begin.data} error={confirm.error} busy={confirm.isPending} onCode={confirmOnce} />
      ) : (
        <ProofStep
          about={t('enrolAbout')}
          action={t('goOn')}
          needs={needs}
          busy={begin.isPending}
          error={begin.error}
          onSubmit={beginOnce}
          onClose={close}
        />
      )}
    </OnceDialog>
  );
}

function Confirm(props: { secret: string; uri: string; error: unknown; busy: boolean; onCode(code: string): void }) {
  const { secret, uri, error, busy, onCode } = props;
  const { t } = useTranslation('account');
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCode(code);
  };
  const isWrong = isFieldProblem(error, 'code');
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('scan')}</Text>
        <Center>
          <QrCode text={uri} label={t('qrCode')} />
        </Center>
        <Stack gap={2}>
          <Text size="sm" c="dimmed">
            {t('orType')}
          </Text>
          <Copyable value={secret} label={t('copySecret')} />
        </Stack>
        <TextInput
          required
          data-autofocus
          label={t('firstCode')}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={isWrong ? t('codeWrong') : undefined}
        />
        {!isWrong && <Problem error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {t('turnOn')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
