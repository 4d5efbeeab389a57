import { Alert, Badge, Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tree, TreeGroup } from '../../draft/queries.ts';
import { Problem } from '../../shell/states.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { editsOf } from './edits.ts';
import { ItemActions } from './item-actions.tsx';
import { show } from './key-editor.tsx';
import { patchTexts, stable } from './key-form.ts';
import { GroupPreview } from './preview.tsx';
import { findItem } from './rows.ts';
import { defaultOf, labelIn } from './texts.ts';
import { TextsFields } from './texts-fields.tsx';
import { type FieldConflict, useMergedSave } from './use-merged-save.ts';

type Props = { clientId: string; tree: Tree; group: TreeGroup; mayEdit: boolean; onAddKey(): void };

export function GroupEditor({ clientId, tree, group, mayEdit, onAddKey }: Props) {
  const { t } = useTranslation('catalog');
  const { languages } = tree;
  const [base, setBase] = useState(group);
  const [name, setName] = useState(group.name);
  const [texts, setTexts] = useState<Record<string, string>>({ ...group.translations });
  const { save, isPending, conflict, error, forget } = useMergedSave(clientId);
  const translations = patchTexts(base.translations, texts);
  const patch = { ...(name.trim() !== base.name && { name: name.trim() }), ...(translations && { translations }) };
  const isChanged = Object.keys(patch).length > 0;
  const disabled = !mayEdit || group.archived;

  const take = (from: TreeGroup) => {
    setBase(from);
    setName(from.name);
    setTexts({ ...from.translations });
  };
  const isTyping = useRef(isChanged);
  isTyping.current = isChanged;
  useEffect(() => {
    if (isTyping.current) return;
    setBase(group);
    setName(group.name);
    setTexts({ ...group.translations });
  }, [group]);
  useBlocker({
    shouldBlockFn: () => isChanged && !window.confirm(t('leave')),
    enableBeforeUnload: () => isChanged,
  });

  const submit = async (force = false) => {
    if (!isChanged || disabled) return;
    const saved = await save({
      edit: editsOf(clientId).changeGroup(group.groupUid, patch),
      conflictsIn: (now) => conflictsOf(now, base, { name: name.trim(), texts }),
      force,
    });
    if (!saved) return;
    setBase({ ...base, name: name.trim(), translations: texts });
    notifications.show({ message: t('saved', { what: name }) });
  };
  useHotkeys([['mod+S', () => void submit()]], []);

  const latest = () => {
    const found = findItem(tree, group.groupUid);
    take(found?.kind === 'group' ? found.group : group);
    forget();
  };

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Title order={2} size="h3">
          {labelIn(group, defaultOf(languages), languages)}
        </Title>
        <ItemActions clientId={clientId} tree={tree} uid={group.groupUid} mayEdit={mayEdit}>
          {!disabled && (
            <Button size="xs" variant="light" leftSection={<IconPlus size={14} aria-hidden />} onClick={onAddKey}>
              {t('addKey.action')}
            </Button>
          )}
        </ItemActions>
      </Group>
      {group.archived && <Alert color="gray">{t('group.archived')}</Alert>}
      <Paper withBorder p="md" component="section" aria-label={t('key.texts')}>
        <Stack gap="sm">
          <Title order={3} size="h5">
            {t('key.texts')}
          </Title>
          <TextsFields languages={languages} texts={texts} fallback={name} disabled={disabled} onChange={setTexts} />
          <TextInput
            label={t('name')}
            description={t('group.nameHint')}
            required
            maw={360}
            maxLength={255}
            spellCheck={false}
            disabled={disabled}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Stack>
      </Paper>
      <Problem error={error} />
      {!disabled && (
        <Group>
          <Button onClick={() => void submit()} loading={isPending} disabled={!isChanged}>
            {t('save')}
          </Button>
          <Button variant="default" disabled={!isChanged} onClick={() => take(group)}>
            {t('reset')}
          </Button>
          {isChanged && <Badge variant="dot">{t('unsaved')}</Badge>}
        </Group>
      )}
      <GroupPreview groups={[group]} languages={languages} />
      <ConflictDialog conflict={conflict} onKeepMine={() => void submit(true)} onTakeTheirs={latest} onClose={forget} />
    </Stack>
  );
}

function conflictsOf(
  now: Tree,
  base: TreeGroup,
  mine: { name: string; texts: Record<string, string> },
): FieldConflict[] | 'gone' {
  const found = findItem(now, base.groupUid);
  if (found?.kind !== 'group' || found.group.archived) return 'gone';
  const theirs = found.group;
  const conflicts: FieldConflict[] = [];
  if (mine.name !== base.name && theirs.name !== base.name && theirs.name !== mine.name) {
    conflicts.push({ field: 'name', theirs: theirs.name, yours: mine.name });
  }
  const before = base.translations ?? {};
  for (const [language, text] of Object.entries(mine.texts)) {
    const [was, is] = [before[language], theirs.translations?.[language]];
    if ((text || undefined) === was || is === was || stable(is) === stable(text || undefined)) continue;
    conflicts.push({ field: language, theirs: show(is), yours: show(text || undefined) });
  }
  return conflicts;
}
