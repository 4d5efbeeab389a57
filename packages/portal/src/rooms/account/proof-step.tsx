import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../shell/states.tsx';
import { asksForLink, isOfProof, type Needs, NO_PROOF, OwnProof, type Proof } from './own-proof.tsx';

/** The first step of actions that a stolen session must not allow. */
export function ProofStep(props: {
  about: string;
  action: string;
  color?: string;
  needs: Needs;
  busy: boolean;
  error: unknown;
  onSubmit(proof: Proof): void;
  onClose(): void;
}) {
  const { about, action, color, needs, busy, error, onSubmit, onClose } = props;
  const { t } = useTranslation();
  const [proof, setProof] = useState(NO_PROOF);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(proof);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{about}</Text>
        <OwnProof needs={needs} value={proof} onChange={setProof} error={error} focus />
        {!isOfProof(needs, error) && <Problem error={error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={busy} onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button
            type="submit"
            loading={busy}
            disabled={asksForLink(needs, error)}
            {...(color !== undefined && { color })}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
