import {
  Alert,
  Badge,
  Button,
  Group,
  Input,
  Kbd,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tree, TreeGroup, TreeKey } from '../../draft/queries.ts';
import { Problem } from '../../shell/states.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { ConstraintFields } from './constraint-fields.tsx';
import { DefaultField } from './default-field.tsx';
import { editsOf } from './edits.ts';
import { ItemActions } from './item-actions.tsx';
import { formOf, type KeyForm, keyOf, newRow, patchBetween, stable } from './key-form.ts';
import { KeyPreview } from './preview.tsx';
import { findItem } from './rows.ts';
import { defaultOf, labelIn } from './texts.ts';
import { TextsFields } from './texts-fields.tsx';
import { type FieldConflict, useMergedSave } from './use-merged-save.ts';
import { ValuesEditor } from './values-editor.tsx';

const TYPES = ['boolean', 'string', 'integer', 'number', 'date'] as const;

type Props = { clientId: string; tree: Tree; group: TreeGroup; treeKey: TreeKey; mayEdit: boolean };

/** All of one key. What is typed is the page's own until it is saved to the draft. */
export function KeyEditor({ clientId, tree, group, treeKey, mayEdit }: Props) {
  const { t } = useTranslation('catalog');
  const { languages } = tree;
  // What the form was made from: what is not different from it was not changed here.
  const [base, setBase] = useState(treeKey);
  const [form, setForm] = useState(() => formOf(treeKey));
  const { save, isPending, conflict, error, forget } = useMergedSave(clientId);
  const edits = editsOf(clientId);
  const patch = patchBetween(base, keyOf(form));
  const isChanged = Object.keys(patch).length > 0;
  const disabled = !mayEdit || treeKey.archived;

  const take = (key: TreeKey) => {
    setBase(key);
    setForm(formOf(key));
  };
  // Somebody else's change, an undo, or our own as the service has it: shown at once unless something is being typed.
  const isTyping = useRef(isChanged);
  isTyping.current = isChanged;
  useEffect(() => {
    if (!isTyping.current) {
      setBase(treeKey);
      setForm((held) => (stable(keyOf(held)) === stable(keyOf(formOf(treeKey))) ? held : formOf(treeKey)));
    }
  }, [treeKey]);

  useBlocker({
    shouldBlockFn: () => isChanged && !window.confirm(t('leave')),
    enableBeforeUnload: () => isChanged,
  });

  const change = (part: Partial<KeyForm>) => setForm((held) => ({ ...held, ...part }));

  const submit = async (force = false) => {
    if (!isChanged || disabled) return;
    const wanted = keyOf(form);
    const saved = await save({
      edit: edits.changeKey(treeKey.keyUid, patch),
      conflictsIn: (now) => conflictsOf(now, base, wanted, patch),
      force,
    });
    if (!saved) return;
    setBase({ ...base, ...withoutAbsent(base, wanted) });
    notifications.show({ message: t('saved', { what: labelIn(wanted, defaultOf(languages), languages) }) });
  };
  useHotkeys([['mod+S', () => void submit()]], []);

  const latest = () => {
    const found = findItem(tree, treeKey.keyUid);
    take(found?.kind === 'key' ? found.key : treeKey);
    forget();
  };
  const problemOf = (field: string) => fieldProblem(error, field);

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Text size="xs" c="dimmed">
            {labelIn(group, defaultOf(languages), languages)}
          </Text>
          <Title order={2} size="h3">
            {labelIn(treeKey, defaultOf(languages), languages)}
          </Title>
        </div>
        <ItemActions clientId={clientId} tree={tree} uid={treeKey.keyUid} mayEdit={mayEdit} />
      </Group>
      {treeKey.archived && <Alert color="gray">{t('key.archived')}</Alert>}

      <KeyPreview treeKey={{ ...treeKey, ...keyOf(form) }} languages={languages} />

      <Paper withBorder p="md" component="section" aria-label={t('key.texts')}>
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
          <TextInput
            label={t('name')}
            description={t('key.nameHint')}
            required
            maw={360}
            maxLength={255}
            spellCheck={false}
            disabled={disabled}
            error={problemOf('name')}
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        </Stack>
      </Paper>

      <Paper withBorder p="md" component="section" aria-label={t('key.answers')}>
        <Stack gap="md">
          <Title order={3} size="h5">
            {t('key.answers')}
          </Title>
          <Group align="flex-start" gap="lg">
            <Select
              label={t('key.type')}
              w={220}
              allowDeselect={false}
              disabled={disabled}
              data={TYPES.map((type) => ({ value: type, label: t(`type.${type}`) }))}
              value={form.type}
              onChange={(type) => type && change(withType(form, type as KeyForm['type']))}
            />
            <Choice
              label={t('key.howMany')}
              disabled={disabled}
              value={form.multiple ? 'multiple' : 'single'}
              options={[
                ['single', t('key.single')],
                ['multiple', t('key.multiple')],
              ]}
              onChange={(value) => change({ multiple: value === 'multiple', byDefault: form.byDefault.slice(0, 1) })}
            />
            {form.multiple && (
              <Group gap="sm" wrap="nowrap">
                <NumberInput
                  label={t('key.min')}
                  w={100}
                  min={0}
                  disabled={disabled}
                  value={form.min}
                  error={problemOf('min')}
                  onChange={(min) => change({ min: String(min) })}
                />
                <NumberInput
                  label={t('key.max')}
                  w={120}
                  min={1}
                  placeholder={t('key.anyNumber')}
                  disabled={disabled}
                  value={form.max}
                  error={problemOf('max')}
                  onChange={(max) => change({ max: String(max) })}
                />
              </Group>
            )}
          </Group>
          {form.type !== 'boolean' && (
            <Choice
              label={t('key.allowed')}
              disabled={disabled}
              value={form.listed ? 'listed' : 'open'}
              options={[
                ['listed', t('key.listed')],
                ['open', t('key.open')],
              ]}
              onChange={(value) =>
                change({
                  listed: value === 'listed',
                  byDefault: [],
                  values: form.values.length > 0 ? form.values : [newRow()],
                })
              }
            />
          )}
          {form.listed ? (
            <ValuesEditor
              form={form}
              languages={languages}
              disabled={disabled}
              onChange={(values) => change({ values })}
            />
          ) : (
            <ConstraintFields form={form} disabled={disabled} onChange={(constraint) => change({ constraint })} />
          )}
          <DefaultField
            form={form}
            languages={languages}
            disabled={disabled}
            onChange={(byDefault) => change({ byDefault })}
          />
        </Stack>
      </Paper>

      {base.type !== form.type && (
        <Alert variant="default" icon={<IconAlertTriangle color="var(--mantine-color-yellow-7)" aria-hidden />}>
          {t('key.typeChanged')}
        </Alert>
      )}
      <Problem error={error} />
      {!disabled && (
        <Group justify="space-between">
          <Group>
            <Button onClick={() => void submit()} loading={isPending} disabled={!isChanged}>
              {t('save')}
            </Button>
            <Button variant="default" disabled={!isChanged} onClick={() => take(treeKey)}>
              {t('reset')}
            </Button>
            {isChanged && <Badge variant="dot">{t('unsaved')}</Badge>}
          </Group>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">S</Kbd>
          </Text>
        </Group>
      )}
      <ConflictDialog conflict={conflict} onKeepMine={() => void submit(true)} onTakeTheirs={latest} onClose={forget} />
    </Stack>
  );
}

function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  disabled: boolean;
  onChange(value: string): void;
}) {
  const { label, value, options, disabled, onChange } = props;
  return (
    <Stack gap={0} align="flex-start" role="group" aria-label={label}>
      <Input.Label labelElement="div" aria-hidden>
        {label}
      </Input.Label>
      <SegmentedControl
        value={value}
        disabled={disabled}
        data={options.map(([each, text]) => ({ value: each, label: text }))}
        onChange={onChange}
      />
    </Stack>
  );
}

/** What belongs to the type before it goes with it. */
function withType(form: KeyForm, type: KeyForm['type']): Partial<KeyForm> {
  const constraint = { min: '', max: '', step: '', pattern: '', max_length: '' };
  if (type === 'boolean')
    return { type, constraint, byDefault: [], listed: true, values: [newRow('true'), newRow('false')] };
  const wasBoolean = form.type === 'boolean';
  return { type, constraint, byDefault: [], ...(wasBoolean && { listed: false, values: [] }) };
}

/** What both changed, of what is about to be sent. */
function conflictsOf(
  now: Tree,
  base: TreeKey,
  wanted: ReturnType<typeof keyOf>,
  patch: Record<string, unknown>,
): FieldConflict[] | 'gone' {
  const found = findItem(now, base.keyUid);
  if (found?.kind !== 'key' || found.key.archived) return 'gone';
  const theirs: Record<string, unknown> = found.key;
  const [mine, before]: Record<string, unknown>[] = [wanted, base];
  return Object.keys(patch).flatMap((field) => {
    const isTheirs = stable(theirs[field]) !== stable(before?.[field]);
    if (!isTheirs || stable(theirs[field]) === stable(mine?.[field])) return [];
    return [{ field, theirs: show(theirs[field]), yours: show(mine?.[field]) }];
  });
}

export function show(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

/** A key as it is saved: members that are gone are gone. */
function withoutAbsent(base: TreeKey, wanted: ReturnType<typeof keyOf>): Partial<TreeKey> {
  const gone = ['multiple', 'min', 'max', 'default', 'values', 'constraint', 'translations'] as const;
  return {
    ...Object.fromEntries(gone.filter((name) => base[name] !== undefined).map((name) => [name, undefined])),
    ...wanted,
  };
}

function fieldProblem(error: unknown, field: string): string | undefined {
  const errors = (error as { errors?: { field: string; message: string }[] } | undefined)?.errors;
  return errors?.find((each) => each.field === field)?.message;
}
