import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyDraft } from '../../draft/notify-draft.ts';
import type { Tree, TreeGroup, TreeKey } from '../../draft/queries.ts';
import { Problem } from '../../shell/states.tsx';
import { useProblemInSight } from '../../shell/use-problem-in-sight.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DescriptionFields } from './description-fields.tsx';
import { editsOf } from './edits.ts';
import { areCountsCrossed, limitProblems, nameProblem, rowProblems } from './form-problems.ts';
import { ItemActions } from './item-actions.tsx';
import { type FileKey, formOf, type KeyForm, keyOf, patchBetween } from './key-form.ts';
import { mergeItem } from './merge.ts';
import { MigrateValues } from './migrate-values.tsx';
import { NameField } from './name-field.tsx';
import { KeyPreview } from './preview.tsx';
import { isShownAtFields, useRefusal } from './refusals.ts';
import { findItem } from './rows.ts';
import { SaveBar } from './save-bar.tsx';
import { defaultOf, labelIn } from './texts.ts';
import { TextsFields } from './texts-fields.tsx';
import { useEditor } from './use-editor.ts';
import { useStart } from './use-start.ts';
import { ValueFields } from './value-fields.tsx';

type Props = {
  clientId: string;
  tree: Tree;
  group: TreeGroup;
  treeKey: TreeKey;
  mayEdit: boolean;
  /** It was just added: focus moves here. */
  isNew: boolean;
};

/** The editor of one key. Input stays in the page until it is saved to the draft. */
export function KeyEditor({ clientId, tree, group, treeKey, mayEdit, isNew }: Props) {
  const { t } = useTranslation('catalog');
  const { languages } = tree;
  const { keyUid } = treeKey;
  const editor = useEditor<TreeKey, FileKey, KeyForm>({
    clientId,
    tree,
    item: treeKey,
    toForm: formOf,
    toContent: keyOf,
    find: (now) => {
      const found = findItem(now, keyUid);
      return found?.kind === 'key' && !found.key.archived ? found.key : undefined;
    },
    merge: mergeItem,
    edit: (before, after) => editsOf(clientId).changeKey(keyUid, patchBetween(before, after)),
  });
  const { form, setForm, content, error } = editor;
  const disabled = !mayEdit || treeKey.archived;
  const change = (part: Partial<KeyForm>) => setForm((held) => ({ ...held, ...part }));
  const whole = useStart(isNew);
  const showProblem = useProblemInSight(whole);

  const problem = nameProblem(
    form.name,
    group.keys.filter((each) => each !== treeKey),
  );
  const rows = rowProblems(form);
  const isEmpty = form.listed && form.values.length === 0;
  const hasWrongLimits = (!form.listed && limitProblems(form).size > 0) || areCountsCrossed(form);
  // A value that was just added is blank: complain only when it is saved.
  const [tried, setTried] = useState(false);
  const submit = async (force = false) => {
    const isWrong = problem !== undefined || rows.size > 0 || isEmpty || hasWrongLimits;
    setTried(isWrong);
    if (disabled) return;
    if (isWrong || (editor.isChanged && !(await editor.submit(force)))) return showProblem();
    if (!editor.isChanged) return;
    notifyDraft(t('saved', { what: labelIn(content, defaultOf(languages), languages) }));
  };
  const refused = useRefusal(error);

  return (
    <Stack gap="lg" ref={whole}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Text size="xs" c="dimmed">
            {labelIn(group, defaultOf(languages), languages)}
          </Text>
          <Title order={2} size="h3">
            {labelIn(treeKey, defaultOf(languages), languages)}
          </Title>
        </div>
        <ItemActions clientId={clientId} tree={tree} uid={keyUid} mayEdit={mayEdit} />
      </Group>
      {treeKey.archived && <Alert color="gray">{t('key.archived')}</Alert>}

      <KeyPreview treeKey={{ ...treeKey, ...content }} languages={languages} />

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
            onChange={(texts) => change({ texts })}
          />
          <NameField
            what="key"
            description={t('key.nameHint')}
            disabled={disabled}
            value={form.name}
            problem={disabled ? undefined : problem}
            refused={refused('name')}
            onChange={(name) => change({ name })}
          />
          <DescriptionFields
            languages={languages}
            texts={form.descriptions}
            disabled={disabled}
            onChange={(descriptions) => change({ descriptions })}
          />
        </Stack>
      </Paper>

      <ValueFields
        form={form}
        languages={languages}
        disabled={disabled}
        error={error}
        rows={rows}
        tried={tried}
        setForm={setForm}
      />

      {!editor.isChanged && <MigrateValues clientId={clientId} treeKey={treeKey} mayEdit={mayEdit} />}
      {treeKey.type !== form.type && (
        <Alert variant="default" icon={<IconAlertTriangle color="var(--mantine-color-yellow-7)" aria-hidden />}>
          {t('key.typeChanged')}
        </Alert>
      )}
      {!isShownAtFields(error) && <Problem error={error} />}
      {!disabled && (
        <SaveBar
          isChanged={editor.isChanged}
          isPending={editor.isPending}
          onSave={() => void submit()}
          onReset={editor.reset}
        />
      )}
      <ConflictDialog {...editor.conflict} onKeepMine={() => void submit(true)} />
    </Stack>
  );
}
