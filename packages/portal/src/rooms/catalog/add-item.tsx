import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tree, TreeLanguage } from '../../draft/queries.ts';
import { useUnsaved } from '../../draft/unsaved.ts';
import { isConflict, useEdit } from '../../draft/use-edit.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { MainAct } from '../../shell/main-act.tsx';
import { Problem } from '../../shell/states.tsx';
import { useOnce } from '../../shell/use-once.ts';
import { ConstraintFields } from './constraint-fields.tsx';
import { editsOf } from './edits.ts';
import { isBlank, limitProblems, nameProblem } from './form-problems.ts';
import { InLanguages, initialLanguages } from './in-languages.tsx';
import { CONSTRAINTS, constraintOf, type KeyForm, NO_CONSTRAINT } from './key-form.ts';
import { KindChips } from './kind-chips.tsx';
import { isList, type Kind, typeOf } from './kinds.ts';
import { NameField } from './name-field.tsx';
import { isShownAtFields, useRefusal } from './refusals.ts';
import { defaultOf, directionOf, hasStrayLine, labelIn, nameFrom, repeatedLine, valuesFrom } from './texts.ts';

/** What to add: a group, or a key, in a group if one is already chosen. */
export type Adding = { kind: 'group' } | { kind: 'key'; groupUid: string | undefined };

type Props = {
  clientId: string;
  adding: Adding | undefined;
  tree: Tree;
  onAdded(uid: string): void;
  onAddGroup(): void;
  onClose(): void;
};

/** Texts and values by language name. */
type Typed = {
  texts: Record<string, string>;
  name: string | undefined;
  type: Kind;
  values: Record<string, string>;
  constraint: KeyForm['constraint'];
};
const NOTHING: Typed = { texts: {}, name: undefined, type: 'boolean', values: {}, constraint: NO_CONSTRAINT };

/**
 * The label, an API name derived from it, and the fields of its kind. The rest is set in the editor. After a group, its
 * keys follow.
 */
export function AddItem({ adding, onClose, ...props }: Props) {
  const { t } = useTranslation('catalog');
  // After an accidental close, the input is still there.
  const kept = useRef({ group: NOTHING, key: NOTHING });
  const isAdded = useRef(false);
  const close = (added: boolean) => {
    isAdded.current = added;
    onClose();
  };
  return (
    <Modal
      opened={adding !== undefined}
      onClose={() => close(false)}
      // The added item has the focus.
      returnFocus={!isAdded.current}
      title={adding && t(adding.kind === 'group' ? 'addGroup.title' : 'addKey.title')}
      closeButtonProps={{ 'aria-label': t('close') }}
      size={initialLanguages(props.tree.languages).length > 1 ? 'lg' : 'md'}
    >
      {adding?.kind === 'key' && props.tree.groups.every((group) => group.archived) ? (
        <Stack>
          <Text>{t('addKey.groupFirst')}</Text>
          <Group justify="flex-end">
            <MainAct onClick={props.onAddGroup}>{t('addGroup.title')}</MainAct>
          </Group>
        </Stack>
      ) : (
        adding && <AddForm key={adding.kind} adding={adding} kept={kept} onClose={close} {...props} />
      )}
    </Modal>
  );
}

type FormProps = Omit<Props, 'adding' | 'onAddGroup' | 'onClose'> & {
  adding: Adding;
  kept: { current: Record<Adding['kind'], Typed> };
  onClose(added: boolean): void;
};

function AddForm({ clientId, adding, kept, tree, onAdded, onClose }: FormProps) {
  const { t } = useTranslation('catalog');
  const [typed, setTyped] = useState(kept.current[adding.kind]);
  const keep = (next: Typed) => {
    kept.current[adding.kind] = next;
    setTyped(next);
  };
  const type = (part: Partial<Typed>) => keep({ ...typed, ...part });
  const isKey = adding.kind === 'key';
  const groups = tree.groups.filter((group) => !group.archived);
  const [groupUid, setGroupUid] = useState((isKey && adding.groupUid) || groups[0]?.groupUid || '');
  const edit = useEdit<{ groupUid?: string; keyUid?: string }>(clientId);
  const byDefault = defaultOf(tree.languages);
  const shown = initialLanguages(tree.languages);
  const label = (byDefault && typed.texts[byDefault.name]?.trim()) ?? '';
  const name = typed.name ?? nameFrom(label);
  const values = isKey && isList(typed.type) ? valuesFrom(typed.values, shown) : undefined;
  const repeated = repeatedLine(typed.values, byDefault);
  const lineProblem = (language: TreeLanguage) => {
    if (language === byDefault && repeated !== undefined) return t('add.repeatedLine', { line: repeated });
    return hasStrayLine(typed.values, language, shown) ? t('add.strayLine') : undefined;
  };
  const limited = { type: typeOf(typed.type), constraint: typed.constraint };
  const limits = CONSTRAINTS[limited.type].filter((limit) => isKey && (limit === 'min' || limit === 'max'));
  const siblings = isKey ? (groups.find((group) => group.groupUid === groupUid)?.keys ?? []) : tree.groups;
  const problem = nameProblem(name, siblings);
  const comesBack = siblings.some((each) => each.archived && each.name === name.trim());
  const isBegun =
    typed.name !== undefined ||
    [typed.texts, typed.values, typed.constraint].some((part) => Object.values(part).some((each) => each !== ''));
  const hasValues = !values || (values.length > 0 && !shown.some(lineProblem));
  // Input typed while it is in flight would be cleared with the sent one.
  const readOnly = edit.isPending;
  const isReady = problem === undefined && hasValues && (!isKey || limitProblems(limited).size === 0);
  useUnsaved(isBegun && !edit.isPending && !edit.isSuccess);
  const edits = editsOf(clientId);

  const [said, say] = useState<string>();
  const first = useRef<HTMLInputElement>(null);
  // Also when it replaces another form in the same dialog.
  useEffect(() => first.current?.focus(), []);

  /** Resolves to its uid, once it is in the draft. */
  const add = useOnce(async (): Promise<string | undefined> => {
    if (!isReady) return undefined;
    const constraint = constraintOf(limited);
    const written = Object.entries(typed.texts).filter(([, text]) => !isBlank(text));
    const translations = Object.fromEntries(written.map(([language, text]) => [language, text.trim()]));
    const texts = written.length > 0 && { translations };
    const wanted = isKey
      ? edits.addKey(groupUid, {
          name: name.trim(),
          type: typeOf(typed.type) as 'boolean',
          ...(values && { values }),
          ...(constraint && { constraint }),
          ...(typed.type === 'several' && { multiple: true }),
          ...texts,
        })
      : edits.addGroup({ name: name.trim(), ...texts });
    // A new item conflicts with nothing: it is added to the current draft.
    const made = await edit
      .mutateAsync({ edit: wanted })
      .catch((error) => (isConflict(error) ? edit.mutateAsync({ edit: () => wanted('*') }) : undefined))
      .catch(() => undefined);
    return isKey ? made?.keyUid : made?.groupUid;
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const uid = await add();
    if (uid === undefined) return;
    keep(NOTHING);
    onClose(true);
    onAdded(uid);
  };
  const addAnother = async () => {
    if ((await add()) === undefined) return;
    say(t('add.done', { what: isBlank(label) ? name.trim() : label }));
    keep({ ...NOTHING, type: typed.type });
    edit.reset();
    first.current?.focus();
  };
  const refused = useRefusal(edit.error);

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {isKey && groups.length > 1 && (
          <Select
            label={t('addKey.group')}
            allowDeselect={false}
            searchable={groups.length > 10}
            data={groups.map((group) => ({
              value: group.groupUid,
              label: labelIn(group, byDefault, tree.languages),
            }))}
            value={groupUid}
            onChange={(uid) => uid && setGroupUid(uid)}
          />
        )}
        <InLanguages label={t('add.label')} hint={t('add.labelHint')} languages={shown}>
          {(language) => (
            <TextInput
              key={language.tag}
              {...(language === byDefault && { ref: first, 'data-autofocus': true })}
              label={language.name}
              lang={language.tag}
              dir={directionOf(language.tag)}
              maxLength={2000}
              readOnly={readOnly}
              value={typed.texts[language.name] ?? ''}
              onChange={({ currentTarget: { value } }) => type({ texts: { ...typed.texts, [language.name]: value } })}
            />
          )}
        </InLanguages>
        <NameField
          what={adding.kind}
          description={t(comesBack && !problem ? 'add.comesBack' : isKey ? 'add.nameHint' : 'add.nameHintGroup')}
          value={name}
          // Show no errors in an untouched form.
          problem={problem === 'blank' && !isBegun ? undefined : problem}
          noName={typed.name === undefined}
          refused={refused('name')}
          readOnly={readOnly}
          onChange={(wanted) => type({ name: wanted })}
        />
        {isKey && <KindChips value={typed.type} onChange={(kind) => type({ type: kind, constraint: NO_CONSTRAINT })} />}
        {values && (
          <InLanguages
            label={t('add.values')}
            hint={t(shown.length > 1 ? 'add.valuesInEachHint' : 'add.valuesHint')}
            languages={shown}
          >
            {(language) => (
              <Textarea
                key={language.tag}
                label={language.name}
                aria-label={`${t('add.values')}: ${language.name}`}
                required={language === byDefault}
                autosize
                minRows={3}
                maxRows={10}
                readOnly={readOnly}
                error={lineProblem(language) ?? (language === byDefault && refused('values'))}
                lang={language.tag}
                dir={directionOf(language.tag)}
                value={typed.values[language.name] ?? ''}
                onChange={({ currentTarget: { value } }) =>
                  type({ values: { ...typed.values, [language.name]: value } })
                }
              />
            )}
          </InLanguages>
        )}
        {limits.length > 0 && (
          <ConstraintFields
            form={limited}
            names={limits}
            error={edit.error}
            onChange={(constraint) => type({ constraint })}
          />
        )}
        {!isShownAtFields(edit.error) && <Problem error={edit.error} />}
        <DialogActions>
          <Text size="sm" c="dimmed" role="status" flex="1 1 auto">
            {said}
          </Text>
          <Button
            variant="default"
            onClick={() => {
              keep(NOTHING);
              onClose(false);
            }}
          >
            {t(said === undefined ? 'cancel' : 'close')}
          </Button>
          <Button variant="light" disabled={!isReady || edit.isPending} onClick={() => void addAnother()}>
            {t('add.another')}
          </Button>
          <Button type="submit" disabled={!isReady} loading={edit.isPending}>
            {t(isKey ? 'add.action' : 'add.thenKeys')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}
