import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { applicationQuery } from '../../api/queries.ts';
import { useUnsaved } from '../../draft/unsaved.ts';
import { fieldText } from '../../shell/problem-text.ts';
import classes from '../../shell/save-bar.module.css';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { useProblemInSight } from '../../shell/use-problem-in-sight.ts';
import { PagePreview } from './page-look.tsx';
import type { Settings } from './settings.ts';
import { SettingsConflict } from './settings-conflict.tsx';
import { SettingsFields } from './settings-fields.tsx';

type Name = keyof Settings;
type SomeSettings = Partial<Settings>;
/** Unsaved changes, and what was stored when each of them was begun. */
type Typed = { draft: SomeSettings; base: SomeSettings };
const NOTHING: Typed = { draft: {}, base: {} };

const pick = (settings: SomeSettings, names: readonly Name[]): SomeSettings =>
  Object.fromEntries(names.map((name) => [name, settings[name]]));
const keep = ({ draft, base }: Typed, isKept: (name: Name) => boolean): Typed => {
  const names = (Object.keys(draft) as Name[]).filter(isKept);
  return { draft: pick(draft, names), base: pick(base, names) };
};
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

type Props = { clientId: string; name: string; settings: Settings; mayChange: boolean };

/**
 * Only changes are sent, so that others' changes stay. If both changed the same setting, the two are shown side by side
 * before anything is saved.
 */
export function SettingsForm({ clientId, name, settings: stored, mayChange }: Props) {
  const { t } = useTranslation('credentials');
  const queries = useQueryClient();
  const [{ draft, base }, setTyped] = useState(NOTHING);
  const shown = { ...stored, ...draft };
  const changed = (Object.keys(draft) as Name[]).filter((name) => !same(draft[name], stored[name]));
  const conflictsWith = (theirs: Settings) =>
    changed.filter((name) => !same(theirs[name], base[name]) && !same(theirs[name], draft[name]));
  const conflicts = conflictsWith(stored);
  const saving = useMutation({
    async mutationFn(sent: SomeSettings) {
      const fresh = await queries.fetchQuery({ ...applicationQuery(clientId), staleTime: 0 });
      if (conflictsWith(fresh.settings).length > 0) return false;
      const body = { settings: pick(sent, changed) };
      await api.patch('/manage/v1/applications/{clientId}', { path: { clientId }, body });
      return true;
    },
    async onSuccess(isSaved, sent) {
      if (!isSaved) return;
      setTyped((now) => ({ ...now, base: { ...now.base, ...sent } }));
      await queries.invalidateQueries({ queryKey: ['application', clientId] });
      // Input typed since then stays.
      setTyped((now) => keep(now, (name) => !(name in sent) || !same(now.draft[name], sent[name])));
      notifications.show({ message: t('settings.saved') });
    },
    onError: () => showProblem(),
  });
  const saveOnce = useMutateOnce(saving);
  useUnsaved(mayChange && changed.length > 0);
  const form = useRef<HTMLFormElement>(null);
  const showProblem = useProblemInSight(form);
  const set = (change: SomeSettings) => {
    setTyped((now) => {
      const begun = (Object.keys(change) as Name[]).filter((name) => !(name in now.base));
      return { draft: { ...now.draft, ...change }, base: { ...pick(stored, begun), ...now.base } };
    });
  };
  const problems = isInnkeeperError(saving.error) ? saving.error.errors : [];
  const problemOf = (name: Name) => fieldText(saving.error, `settings.${name}`);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed.length > 0) saveOnce(draft);
  };

  return (
    <form onSubmit={submit} ref={form}>
      <Stack gap="lg">
        <SettingsFields shown={shown} mayChange={mayChange} problemOf={problemOf} set={set} />
        <PagePreview clientId={clientId} name={name} shown={shown} />
        {problems.length === 0 && <Problem error={saving.error} />}
        {conflicts.length > 0 && (
          <SettingsConflict
            conflicts={conflicts.map((name) => ({
              label: t(`settings.${name}.label`),
              theirs: stored[name],
              mine: draft[name],
              isDuration: name === 'specialTokenTtl' || name === 'accessTokenTtl',
            }))}
            onTheirs={() => setTyped((now) => keep(now, (name) => !conflicts.includes(name)))}
            onMine={() => setTyped((now) => ({ ...now, base: stored }))}
          />
        )}
        {mayChange && (
          <Group className={classes.bar ?? ''}>
            <Button type="submit" disabled={changed.length === 0 || conflicts.length > 0} loading={saving.isPending}>
              {t('save', { ns: 'shell' })}
            </Button>
            {changed.length > 0 && (
              <Button
                variant="default"
                onClick={() => {
                  setTyped(NOTHING);
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
