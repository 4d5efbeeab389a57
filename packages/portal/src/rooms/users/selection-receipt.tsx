import { Button, Modal, Paper, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { CopyButton } from '../../shell/copy.tsx';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { download } from '../../shell/download.ts';
import { Moment } from '../../shell/moment.tsx';
import { ErrorState, LoadingState } from '../../shell/states.tsx';

type Path = { clientId: string; userUid: string; userOptionsUid: string };

/** The claims of a receipt that the service signed. */
type Claims = {
  texts: {
    group: string;
    group_description: string | null;
    option: string;
    option_description: string | null;
    value: string | string[];
  };
  language: string | null;
  language_tag: string | null;
  language_known: boolean;
  revision: number;
  saved_at: string;
  by: 'user_uid' | 'access_token' | 'import' | 'manage' | 'preference_link' | 'unsubscribe' | null;
};

/** What the user saw when they chose, and the signed proof of it. */
export function SelectionReceipt({ path, title, onClose }: { path: Path; title: string; onClose(): void }) {
  const { t } = useTranslation('users');
  const receipt = useQuery({
    queryKey: ['application', path.clientId, 'users', path.userUid, 'receipt', path.userOptionsUid],
    queryFn: async ({ signal }) =>
      (
        await api.get('/manage/v1/applications/{clientId}/users/{userUid}/options/{userOptionsUid}/receipt', {
          path,
          signal,
        })
      ).data.receipt,
    // The value may have been saved again since.
    gcTime: 0,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      {receipt.isPending && <LoadingState />}
      {receipt.isError && <ErrorState error={receipt.error} retry={() => receipt.refetch()} />}
      {receipt.data !== undefined && <Shown receipt={receipt.data} uid={path.userOptionsUid} />}
    </Modal>
  );
}

function Shown({ receipt, uid }: { receipt: string; uid: string }) {
  const { t } = useTranslation('users');
  const { texts, ...claims } = readClaims(receipt);
  const facts = [
    [t('receipt.language'), claims.language_known ? claims.language : t('receipt.languageUnknown', claims)],
    [t('receipt.revision'), claims.revision],
    [t('selections.since'), <Moment key="at" at={claims.saved_at} />],
    ...(claims.by ? [[t('receipt.by'), t(`history.by.${claims.by}`)]] : []),
  ];
  return (
    <Stack>
      <Text size="sm">{t('receipt.shown')}</Text>
      <Paper withBorder p="md" {...(claims.language_tag && { lang: claims.language_tag })} dir="auto">
        <Text size="sm" c="dimmed">
          {texts.group}
        </Text>
        {texts.group_description && <Text size="sm">{texts.group_description}</Text>}
        <Text fw={600} mt="xs">
          {texts.option}
        </Text>
        {texts.option_description && <Text size="sm">{texts.option_description}</Text>}
        <Text mt="xs">{[texts.value].flat().join(' · ') || '–'}</Text>
      </Paper>
      <Table>
        <Table.Tbody>
          {facts.map(([name, fact]) => (
            <Table.Tr key={String(name)}>
              <Table.Th w={120}>{name}</Table.Th>
              <Table.Td>{fact}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed">
        {t('receipt.about')}
      </Text>
      <DialogActions>
        <CopyButton value={receipt} label={t('receipt.copy')} />
        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => download(`receipt-${uid}.jwt`, 'application/jwt', receipt)}
        >
          {t('receipt.download')}
        </Button>
      </DialogActions>
    </Stack>
  );
}

function readClaims(receipt: string): Claims {
  const [, payload = ''] = receipt.split('.');
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
}
