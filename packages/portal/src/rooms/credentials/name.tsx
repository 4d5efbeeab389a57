import { Box, Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { applicationQuery } from '../../api/queries.ts';
import { useUnsaved } from '../../draft/unsaved.ts';
import { fieldText, problemText } from '../../shell/problem-text.ts';
import { useMutateOnce } from '../../shell/use-once.ts';
import { SettingsConflict } from './settings-conflict.tsx';

export function Name({ clientId, name, mayChange }: { clientId: string; name: string; mayChange: boolean }) {
  const { t } = useTranslation('credentials');
  const queries = useQueryClient();
  const [typed, setTyped] = useState<string>();
  /** The name when typing began. */
  const [base, setBase] = useState(name);
  const shown = typed ?? name;
  const conflictsWith = (theirs: string) => typed !== undefined && theirs !== base && theirs !== typed;
  const renaming = useMutation({
    async mutationFn(wanted: string) {
      const fresh = await queries.fetchQuery({ ...applicationQuery(clientId), staleTime: 0 });
      if (conflictsWith(fresh.name)) return false;
      await api.patch('/manage/v1/applications/{clientId}', { path: { clientId }, body: { name: wanted } });
      return true;
    },
    async onSuccess(isSaved, wanted) {
      if (!isSaved) return;
      setBase(wanted);
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['application', clientId] }),
        queries.invalidateQueries({ queryKey: ['applications'] }),
      ]);
      // Input typed since then stays.
      setTyped((now) => (now === wanted ? undefined : now));
      notifications.show({ message: t('name.saved') });
    },
  });
  const renameOnce = useMutateOnce(renaming);
  useUnsaved(mayChange && shown !== name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renameOnce(shown);
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t('name.label')}
          value={shown}
          maxLength={255}
          disabled={!mayChange}
          error={renaming.error && (fieldText(renaming.error, 'name') ?? problemText(renaming.error))}
          onChange={(event) => {
            if (typed === undefined) setBase(name);
            setTyped(event.currentTarget.value);
          }}
          flex={1}
          miw={200}
        />
        {mayChange && (
          <Button
            type="submit"
            variant="default"
            disabled={shown === name || shown.trim() === '' || conflictsWith(name)}
            loading={renaming.isPending}
          >
            {t('name.action')}
          </Button>
        )}
      </Group>
      {conflictsWith(name) && (
        <Box mt="md">
          <SettingsConflict
            conflicts={[{ label: t('name.label'), theirs: name, mine: shown }]}
            onTheirs={() => setTyped(undefined)}
            onMine={() => setBase(name)}
          />
        </Box>
      )}
    </form>
  );
}
