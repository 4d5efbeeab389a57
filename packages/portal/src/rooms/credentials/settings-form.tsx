import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { applicationQuery } from '../../api/queries.ts';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import type { Settings } from './settings.ts';
import { SettingsConflict } from './settings-conflict.tsx';
import { SettingsFields } from './settings-fields.tsx';

type Name = keyof Settings;
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Only what was changed is sent: what somebody else changes meanwhile stays theirs. Where both changed the same, the two
 * are shown side by side before anything is saved.
 */
export function SettingsForm(props: { clientId: string; settings: Settings; mayChange: boolean }) {
  const { clientId, settings: stored, mayChange } = props;
  const { t } = useTranslation('credentials');
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Partial<Settings>>({});
  /** What was stored when each change was begun. */
  const [base, setBase] = useState<Partial<Settings>>({});
  const shown = { ...stored, ...draft };
  const changed = (Object.keys(draft) as Name[]).filter((name) => !same(draft[name], stored[name]));
  const conflictsWith = (theirs: Settings) =>
    changed.filter((name) => !same(theirs[name], base[name]) && !same(theirs[name], draft[name]));
  const conflicts = conflictsWith(stored);
  const saving = useMutation({
    async mutationFn() {
      const fresh = await queries.fetchQuery({ ...applicationQuery(clientId), staleTime: 0 });
      if (conflictsWith(fresh.settings).length > 0) return false;
      const body = { settings: Object.fromEntries(changed.map((name) => [name, draft[name]])) };
      await api.patch('/manage/v1/applications/{clientId}', { path: { clientId }, body });
      return true;
    },
    async onSuccess(isSaved) {
      if (!isSaved) return;
      await queries.invalidateQueries({ queryKey: ['application', clientId] });
      setDraft({});
      setBase({});
      notifications.show({ message: t('settings.saved') });
    },
  });
  const saveOnce = useMutateOnce(saving);
  const set = (change: Partial<Settings>) => {
    const names = (Object.keys(change) as Name[]).filter((name) => !(name in base));
    setBase((before) => ({ ...before, ...Object.fromEntries(names.map((name) => [name, stored[name]])) }));
    setDraft((before) => ({ ...before, ...change }));
  };
  const takeTheirs = () => {
    const kept = Object.fromEntries(Object.entries(draft).filter(([name]) => !conflicts.includes(name as Name)));
    setDraft(kept);
  };
  const problems = isInnkeeperError(saving.error) ? saving.error.errors : [];
  const problemOf = (name: Name) => problems.find(({ field }) => field === `settings.${name}`)?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed.length > 0) saveOnce();
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <SettingsFields shown={shown} mayChange={mayChange} problemOf={problemOf} set={set} />
        {problems.length === 0 && <Problem error={saving.error} />}
        {conflicts.length > 0 && (
          <SettingsConflict
            conflicts={conflicts.map((name) => ({
              label: t(`settings.${name}.label`),
              theirs: stored[name],
              mine: draft[name],
            }))}
            onTheirs={takeTheirs}
            onMine={() => setBase(stored)}
          />
        )}
        {mayChange && (
          <Group>
            <Button type="submit" disabled={changed.length === 0 || conflicts.length > 0} loading={saving.isPending}>
              {t('save', { ns: 'shell' })}
            </Button>
            {changed.length > 0 && (
              <Button
                variant="default"
                onClick={() => {
                  setDraft({});
                  setBase({});
                  saving.reset();
                }}
              >
                {t('settings.discard')}
              </Button>
            )}
            {changed.length > 0 && (
              <Text size="sm" c="dimmed">
                {t('settings.unsaved', { count: changed.length })}
              </Text>
            )}
          </Group>
        )}
      </Stack>
    </form>
  );
}
