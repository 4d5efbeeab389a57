import { Button, MultiSelect, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { FormDialog } from '../../shell/form-dialog.tsx';
import { fieldText, problemText } from '../../shell/problem-text.ts';
import { useMutateOnce } from '../../shell/use-once.ts';
import { type ChangeSelection, type Held, isChangedMeanwhile } from './use-change-selection.ts';

type Props = { of: NamedKey; held: Held | undefined; change: ChangeSelection; onClose(): void };

/** One key of a user, changed by someone who manages them. */
export function EditSelection({ of, held, change, onClose }: Props) {
  const { t } = useTranslation('users');
  const [typed, setTyped] = useState(() => (held ? [held.value].flat().map(String) : []));
  const [opened] = useState(held);
  // From then on the current value is shown, and is the one to replace.
  const [isChanged, setChanged] = useState(false);
  const saving = useMutation({
    mutationFn: () => change.save(of, readTyped(of, typed), (isChanged ? held : opened)?.etag),
    onSuccess: onClose,
    onError: (error) => isChangedMeanwhile(error) && setChanged(true),
  });
  const saveOnce = useMutateOnce(saving);
  const { error } = saving;
  // What the service says of the field is for programs: it names a header.
  const ofField = isChangedMeanwhile(error) ? undefined : fieldText(error);
  const problem = error ? (ofField ?? problemText(error)) : undefined;
  return (
    <FormDialog opened onClose={onClose} title={of.label}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saveOnce();
        }}
      >
        <Stack>
          <ValueField of={of} typed={typed} problem={problem} onChange={setTyped} />
          {isChanged && (
            <Text size="sm">
              {t('selections.current', { value: held ? of.showValue(held.value) : t('selections.notSet') })}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {t('selections.editHint')}
          </Text>
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {t('cancel', { ns: 'shell' })}
            </Button>
            <Button type="submit" loading={saving.isPending} disabled={typed.length === 0 && !of.multiple}>
              {t('save', { ns: 'shell' })}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </FormDialog>
  );
}

type FieldProps = { of: NamedKey; typed: string[]; problem: string | undefined; onChange(typed: string[]): void };

function ValueField({ of, typed, problem, onChange }: FieldProps) {
  const { t } = useTranslation('users');
  const own = { label: t('selections.value'), error: problem, 'data-autofocus': true };
  if (of.values.length > 0) {
    // A user who has a retired value may keep it.
    const offered = of.values.filter(({ value, retired }) => !retired || typed.includes(String(value)));
    const data = offered.map(({ value, label }) => ({ value: String(value), label }));
    if (of.multiple) return <MultiSelect {...own} data={data} value={typed} onChange={onChange} />;
    return (
      <Select
        {...own}
        data={data}
        value={typed[0] ?? null}
        allowDeselect={false}
        searchable={data.length > 10}
        onChange={(value) => onChange(value === null ? [] : [value])}
      />
    );
  }
  if (of.multiple) return <TagsInput {...own} value={typed} onChange={onChange} />;
  return (
    <TextInput
      {...own}
      type={of.type === 'date' ? 'date' : 'text'}
      inputMode={of.type === 'integer' || of.type === 'number' ? 'decimal' : 'text'}
      value={typed[0] ?? ''}
      onChange={(event) => onChange([event.currentTarget.value])}
    />
  );
}

/** Invalid numbers are sent as they are: the service says what they should be. */
function readTyped({ type }: NamedKey, typed: readonly string[]): (string | number | boolean)[] {
  return typed.map((text) => {
    if (type === 'boolean') return text === 'true';
    const isNumber = (type === 'integer' || type === 'number') && text.trim() !== '' && !Number.isNaN(Number(text));
    return isNumber ? Number(text) : text;
  });
}
