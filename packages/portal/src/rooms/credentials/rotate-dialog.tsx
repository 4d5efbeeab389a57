import { Alert, Button, Checkbox, Code, Group, Select, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { rememberSecret } from '../../api/made-secrets.ts';
import { sessionQuery } from '../../api/queries.ts';
import { Copy } from '../../shell/copy.tsx';
import { download } from '../../shell/download.ts';
import { dateLocale, readTime } from '../../shell/moment.tsx';
import { OnceDialog, SHOWN_ONCE, useHoldDialog } from '../../shell/once-dialog.tsx';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { asksForLink, isOfProof, NO_PROOF, OwnProof } from '../account/own-proof.tsx';
import classes from './credentials.module.css';

const OVERLAPS = ['0', '1h', '24h', '7d', '30d'] as const;
type Overlap = (typeof OVERLAPS)[number];
const HOURS: Record<Overlap, number> = { '0': 0, '1h': 1, '24h': 24, '7d': 168, '30d': 720 };

/** Asks how long the previous secret stays valid, then shows the new one once. */
export function RotateDialog(props: { clientId: string; hasPrevious: boolean; opened: boolean; onClose(): void }) {
  const { clientId, hasPrevious, opened, onClose } = props;
  const { t, i18n } = useTranslation('credentials');
  const queries = useQueryClient();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [proof, setProof] = useState(NO_PROOF);
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const rotating = useMutation({
    mutationKey: SHOWN_ONCE,
    mutationFn: async () => {
      // The dialog says that the previous secret is revoked. One that someone else created meanwhile was not mentioned,
      // so revoking it is refused.
      const body = { overlap: overlap === '0' ? 0 : overlap, revokePrevious: hasPrevious, ...proof };
      const input = { path: { clientId }, body };
      return (await api.post('/manage/v1/applications/{clientId}/secrets', input)).data;
    },
    onSuccess: ({ clientSecret }) => {
      rememberSecret(clientId, clientSecret);
      return queries.invalidateQueries({ queryKey: ['application', clientId] });
    },
  });
  // A second rotation would revoke the secret in use.
  const rotate = useMutateOnce(rotating);
  const made = rotating.data;
  const close = () => {
    rotating.reset();
    setProof(NO_PROOF);
    onClose();
  };
  const show = (date: Date) =>
    new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' }).format(date);
  const end = show(new Date(Date.now() + HOURS[overlap] * 3_600_000));

  return (
    <OnceDialog opened={opened} onClose={close} title={made ? t('rotate.madeTitle') : t('rotate.title')} size="lg">
      {made ? (
        <NewSecret
          clientId={clientId}
          {...made}
          previous={
            overlap === '0'
              ? t('rotate.endedNow')
              : t('rotate.endsAt', { time: show(readTime(made.previousExpiresAt)) })
          }
          onClose={close}
        />
      ) : (
        <Stack>
          <Text size="sm">{t('rotate.text')}</Text>
          <Select
            data-autofocus
            label={t('rotate.overlap')}
            data={OVERLAPS.map((value) => ({ value, label: t(`rotate.overlaps.${value}`) }))}
            value={overlap}
            onChange={(value) => setOverlap(value ?? '24h')}
            allowDeselect={false}
            comboboxProps={{ withinPortal: true }}
          />
          <Alert color={overlap === '0' ? 'red' : 'blue'} variant="light">
            {overlap === '0' ? t('rotate.nowText') : t('rotate.untilText', { time: end })}
            {hasPrevious && <Text size="sm">{t('rotate.third')}</Text>}
          </Alert>
          <OwnProof needs={session} value={proof} onChange={setProof} error={rotating.error} />
          {!isOfProof(session, rotating.error) && <Problem error={rotating.error} />}
          <Group justify="flex-end">
            <Button variant="default" disabled={rotating.isPending} onClick={close}>
              {t('cancel', { ns: 'shell' })}
            </Button>
            <Button
              loading={rotating.isPending}
              disabled={asksForLink(session, rotating.error)}
              onClick={() => rotate()}
            >
              {t('rotate.action')}
            </Button>
          </Group>
        </Stack>
      )}
    </OnceDialog>
  );
}

type NewSecretProps = {
  clientId: string;
  clientSecret: string;
  fingerprint: string;
  /** What becomes of the previous one. */
  previous: string;
  onClose(): void;
};

function NewSecret({ clientId, clientSecret, fingerprint, previous, onClose }: NewSecretProps) {
  useHoldDialog();
  const { t } = useTranslation('credentials');
  const [stored, setStored] = useState(false);
  const [taken, setTaken] = useState(false);
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        {t('rotate.once')}
      </Alert>
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Code block flex={1} className={classes.secret}>
          {clientSecret}
        </Code>
        <Copy value={clientSecret} label={t('rotate.copy')} onCopy={() => setTaken(true)} />
      </Group>
      <Text size="sm">
        {t('rotate.fingerprint', { fingerprint })} {previous}
      </Text>
      <Group>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => {
            download(
              `innkeeper-${clientId}.env`,
              'text/plain',
              `INNKEEPER_CLIENT_ID=${clientId}\nINNKEEPER_CLIENT_SECRET=${clientSecret}\n`,
            );
            setTaken(true);
          }}
        >
          {t('rotate.download')}
        </Button>
      </Group>
      {!taken && (
        <Checkbox
          label={t('rotate.stored')}
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
      )}
      <Group justify="flex-end">
        <Button disabled={!stored && !taken} onClick={onClose}>
          {t('rotate.done')}
        </Button>
      </Group>
    </Stack>
  );
}
