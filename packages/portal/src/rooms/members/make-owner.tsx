import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionQuery } from '../../api/queries.ts';
import { Problem } from '../../shell/states.tsx';
import { asksForLink, isOfProof, NO_PROOF, OwnProof, type Proof } from '../account/own-proof.tsx';

/** An owner can invite further ones, so a stolen session must not be able to make one. */
export function MakeOwner(props: {
  email: string;
  error: unknown;
  isPending: boolean;
  onClose(): void;
  onConfirm(proof: Proof): void;
}) {
  const { email, error, isPending, onClose, onConfirm } = props;
  const { t } = useTranslation('members');
  const { t: shell } = useTranslation();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [proof, setProof] = useState(NO_PROOF);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('makeOwner', { email })}
      closeButtonProps={{ 'aria-label': shell('close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm(proof);
        }}
      >
        <Stack>
          <Text size="sm">{t('makeOwnerAbout')}</Text>
          <OwnProof focus needs={session} value={proof} onChange={setProof} error={error} />
          {!isOfProof(session, error) && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" disabled={isPending} onClick={onClose}>
              {shell('cancel')}
            </Button>
            <Button type="submit" loading={isPending} disabled={asksForLink(session, error)}>
              {t('makeOwnerConfirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
