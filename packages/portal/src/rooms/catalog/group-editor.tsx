import { Alert, Button, Group, Paper, Stack, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyDraft } from '../../draft/notify-draft.ts';
import type { Tree, TreeGroup } from '../../draft/queries.ts';
import { Problem } from '../../shell/states.tsx';
import { useProblemInSight } from '../../shell/use-problem-in-sight.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DescriptionFields } from './description-fields.tsx';
import { editsOf } from './edits.ts';
import { nameProblem } from './form-problems.ts';
import { ItemActions } from './item-actions.tsx';
import { filled, patchTexts } from './key-form.ts';
import { mergeItem } from './merge.ts';
import { NameField } from './name-field.tsx';
import { GroupPreview } from './preview.tsx';
import { isShownAtFields, useRefusal } from './refusals.ts';
import { findItem } from './rows.ts';
import { SaveBar } from './save-bar.tsx';
import { defaultOf, labelIn } from './texts.ts';
import { TextsFields } from './texts-fields.tsx';
import { useEditor } from './use-editor.ts';

type Props = {
  clientId: string;
  tree: Tree;
  group: TreeGroup;
  mayEdit: boolean;
  onAddKey(): void;
};
type Content = { name: string; translations?: Record<string, string>; descriptions?: Record<string, string> };
type Form = { name: string; texts: Record<string, string>; descriptions: Record<string, string> };

export function GroupEditor({ clientId, tree, group, mayEdit, onAddKey }: Props) {
  const { t } = useTranslation('catalog');
  const { languages } = tree;
  const { groupUid } = group;
  const editor = useEditor<TreeGroup, Content, Form>({
    clientId,
    tree,
    item: group,
    toForm: ({ name, translations, descriptions }) => ({
      name,
      texts: { ...translations },
      descriptions: { ...descriptions },
    }),
    toContent,
    find: (now) => {
      const found = findItem(now, groupUid);
      return found?.kind === 'group' && !found.group.archived ? found.group : undefined;
    },
    merge: mergeItem,
    edit: (before, after) => editsOf(clientId).changeGroup(groupUid, patchOf(before, after)),
  });
  const { form, setForm, error } = editor;
  const disabled = !mayEdit || group.archived;
  const problem = nameProblem(
    form.name,
    tree.groups.filter((each) => each !== group),
  );

  const submit = async (force = false) => {
    if (disabled || !editor.isChanged) return;
    if (problem || !(await editor.submit(force))) return showProblem();
    notifyDraft(t('saved', { what: form.name }));
  };
  const refused = useRefusal(error);
  const whole = useRef<HTMLDivElement>(null);
  const showProblem = useProblemInSight(whole);

  return (
    <Stack gap="lg" ref={whole}>
      <Group justify="space-between" align="flex-start">
        <Title order={2} size="h3">
          {labelIn(group, defaultOf(languages), languages)}
        </Title>
        <ItemActions clientId={clientId} tree={tree} uid={groupUid} mayEdit={mayEdit}>
          {!disabled && (
            <Button size="xs" variant="light" leftSection={<IconPlus size={14} aria-hidden />} onClick={onAddKey}>
              {t('addKey.action')}
            </Button>
          )}
        </ItemActions>
      </Group>
      {group.archived && <Alert color="gray">{t('group.archived')}</Alert>}
      <Paper withBorder p="md" component="section" aria-label={t('key.texts')} data-fields>
        <Stack gap="sm">
          <Title order={3} size="h5">
            {t('key.texts')}
          </Title>
          <TextsFields
            languages={languages}
            texts={form.texts}
            fallback={form.name}
            disabled={disabled}
            onChange={(texts) => setForm((held) => ({ ...held, texts }))}
          />
          <NameField
            what="group"
            description={t('group.nameHint')}
            disabled={disabled}
            value={form.name}
            problem={disabled ? undefined : problem}
            refused={refused('name')}
            onChange={(name) => setForm((held) => ({ ...held, name }))}
          />
          <DescriptionFields
            languages={languages}
            texts={form.descriptions}
            disabled={disabled}
            onChange={(descriptions) => setForm((held) => ({ ...held, descriptions }))}
          />
        </Stack>
      </Paper>
      {!isShownAtFields(error) && <Problem error={error} />}
      {!disabled && (
        <SaveBar
          isChanged={editor.isChanged}
          isPending={editor.isPending}
          onSave={() => void submit()}
          onReset={editor.reset}
        />
      )}
      <GroupPreview groups={[group]} languages={languages} />
      <ConflictDialog {...editor.conflict} onKeepMine={() => void submit(true)} />
    </Stack>
  );
}

function toContent({ name, texts, descriptions: helps }: Form): Content {
  const [translations, descriptions] = [filled(texts), filled(helps)];
  return { name: name.trim(), ...(translations && { translations }), ...(descriptions && { descriptions }) };
}

function patchOf(before: Content, after: Content) {
  const translations = patchTexts(before.translations, after.translations);
  const descriptions = patchTexts(before.descriptions, after.descriptions);
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(translations && { translations }),
    ...(descriptions && { descriptions }),
  };
}
