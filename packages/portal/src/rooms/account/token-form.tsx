import { Button, Group, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ACCESSES, type Access } from '../../api/access.ts';
import { api } from '../../api/client.ts';
import { OnceDialog, SHOWN_ONCE } from '../../shell/once-dialog.tsx';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { asksForLink, isOfProof, type Needs, NO_PROOF, OwnProof } from './own-proof.tsx';

const LIFETIMES = ['7d', '30d', '90d', '365d'] as const;
type Lifetime = (typeof LIFETIMES)[number];

export type KnownApplication = { clientId: string; name: string };
type Props = {
  opened: boolean;
  applications: readonly KnownApplication[];
  needs: Needs;
  onClose(): void;
  onMade(token: { name: string; token: string }): void;
};

export function TokenForm({ opened, onClose, ...props }: Props) {
  const { t } = useTranslation('account');
  return (
    <OnceDialog opened={opened} onClose={onClose} title={t('makeToken')}>
      <Form {...props} onClose={onClose} />
    </OnceDialog>
  );
}

function Form({ applications, needs, onClose, onMade }: Omit<Props, 'opened'>) {
  const { t } = useTranslation('account');
  const { t: shell } = useTranslation();
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Access>('read');
  const [apps, setApps] = useState<string[]>([]);
  const [expires, setExpires] = useState<Lifetime>('90d');
  const [proof, setProof] = useState(NO_PROOF);
  const make = useMutation({
    mutationKey: SHOWN_ONCE,
    mutationFn: async () =>
      (
        await api.post('/manage/v1/account/tokens', {
          body: { name, access, apps: apps.length > 0 ? apps : null, expires, ...proof },
        })
      ).data,
    onSuccess: onMade,
  });
  const makeOnce = useMutateOnce(make);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    makeOnce();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          required
          data-autofocus
          maxLength={255}
          label={t('tokenName')}
          description={t('tokenNameHint')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t('tokenAccess')}
          description={t(`accessMeans.${access}`)}
          allowDeselect={false}
          data={ACCESSES.map((value) => ({ value, label: t(`accessName.${value}`) }))}
          value={access}
          onChange={(value) => setAccess(value ?? 'read')}
        />
        <MultiSelect
          label={t('tokenApps')}
          description={t('tokenAppsHint')}
          placeholder={apps.length === 0 ? t('allApplications') : ''}
          clearable
          data={applications.map(({ clientId, name: label }) => ({ value: clientId, label }))}
          value={apps}
          onChange={setApps}
        />
        <Select
          label={t('tokenExpires')}
          allowDeselect={false}
          data={LIFETIMES.map((value) => ({ value, label: t(`lifetime.${value}`) }))}
          value={expires}
          onChange={(value) => setExpires(value ?? '90d')}
        />
        <OwnProof needs={needs} value={proof} onChange={setProof} error={make.error} />
        {!isOfProof(needs, make.error) && <Problem error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={make.isPending} onClick={onClose}>
            {shell('cancel')}
          </Button>
          <Button type="submit" loading={make.isPending} disabled={asksForLink(needs, make.error)}>
            {t('makeToken')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
