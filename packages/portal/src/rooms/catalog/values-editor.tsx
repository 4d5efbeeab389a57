import {
  ActionIcon,
  Button,
  Collapse,
  Group,
  Paper,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconLanguage, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TreeLanguage } from '../../draft/queries.ts';
import type { RowProblem } from './form-problems.ts';
import { type KeyForm, newRow, type ValueRow } from './key-form.ts';
import { useRefusal } from './refusals.ts';
import { defaultOf } from './texts.ts';
import { TextsFields } from './texts-fields.tsx';

type Props = {
  form: KeyForm;
  languages: readonly TreeLanguage[];
  disabled: boolean;
  /** The service's errors, and those it would return. */
  error: unknown;
  rows: ReadonlyMap<string, RowProblem>;
  tried: boolean;
  onChange(values: ValueRow[]): void;
};

/** The values that a key allows: their order, their texts, and which are retired. */
export function ValuesEditor({ form, languages, disabled, error, rows, tried, onChange }: Props) {
  const { t } = useTranslation('catalog');
  const [said, say] = useState('');
  const { values, type } = form;
  const refused = useRefusal(error);
  const problemOf = ({ id }: ValueRow, index: number) => {
    const problem = rows.get(id);
    if (problem === 'repeated') return t('values.repeated');
    if (problem === 'blank') return tried ? t('values.blank') : undefined;
    return refused(`values[${index}]`);
  };
  const change = (id: string, row: Partial<ValueRow>) =>
    onChange(values.map((each) => (each.id === id ? { ...each, ...row } : each)));
  const move = (from: number, to: number) => {
    const row = values[from];
    if (!row || to < 0 || to >= values.length) return;
    const others = values.filter((each) => each !== row);
    onChange([...others.slice(0, to), row, ...others.slice(to)]);
    say(t('tree.moved', { what: row.value, position: to + 1, total: values.length }));
  };
  return (
    <Stack gap="xs">
      {values.map((row, index) => (
        <ValueFields
          key={row.id}
          row={row}
          index={index}
          form={form}
          problem={problemOf(row, index)}
          languages={languages}
          disabled={disabled}
          onChange={(changed) => change(row.id, changed)}
          onMove={(to) => move(index, to)}
          onRemove={() => onChange(values.filter((each) => each !== row))}
        />
      ))}
      {values.length === 0 && tried && (
        <Text size="sm" c="red" role="alert" data-problem>
          {t('values.none')}
        </Text>
      )}
      {type !== 'boolean' && !disabled && (
        <Group>
          <Button
            variant="light"
            size="sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => onChange([...values, newRow()])}
          >
            {t('values.add')}
          </Button>
        </Group>
      )}
      <Text role="status" aria-live="polite" fz={0} h={0}>
        {said}
      </Text>
    </Stack>
  );
}

type RowProps = {
  row: ValueRow;
  index: number;
  form: KeyForm;
  problem: string | undefined;
  languages: readonly TreeLanguage[];
  disabled: boolean;
  onChange(row: Partial<ValueRow>): void;
  onMove(to: number): void;
  onRemove(): void;
};

function ValueFields(props: RowProps) {
  const { row, index, form, problem, languages, disabled, onChange, onMove, onRemove } = props;
  const { t } = useTranslation('catalog');
  const [opened, setOpened] = useState(false);
  const isBoolean = form.type === 'boolean';
  const byDefault = defaultOf(languages);
  const about = row.value === '' ? t('values.nth', { n: index + 1 }) : row.value;
  const others = form.values.filter((each) => each !== row && each.value !== '' && !each.retired);
  const step = (label: string, to: number, Icon: typeof IconArrowUp, isPossible: boolean) => (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${label}: ${about}`}
        disabled={!isPossible}
        onClick={() => onMove(to)}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <Paper withBorder p="xs" data-testid="value">
      <Group gap="xs" align="flex-start">
        <TextInput
          size="sm"
          flex="1 1 8rem"
          label={t('values.value')}
          aria-label={`${t('values.value')} ${index + 1}`}
          disabled={disabled || isBoolean}
          error={problem}
          value={row.value}
          type={form.type === 'date' ? 'date' : 'text'}
          inputMode={form.type === 'integer' || form.type === 'number' ? 'decimal' : 'text'}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
        />
        {byDefault && (
          <TextInput
            size="sm"
            flex="2 1 10rem"
            label={t('values.textIn', { language: byDefault.name })}
            aria-label={`${about}: ${byDefault.name}`}
            lang={byDefault.tag}
            disabled={disabled}
            placeholder={row.value}
            value={row.texts[byDefault.name] ?? ''}
            onChange={(event) => onChange({ texts: { ...row.texts, [byDefault.name]: event.currentTarget.value } })}
          />
        )}
        <Group gap={0} wrap="nowrap" pt={25}>
          <Tooltip label={t('values.more')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-expanded={opened}
              aria-label={`${t('values.more')}: ${about}`}
              onClick={() => setOpened(!opened)}
            >
              <IconLanguage size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
          {!disabled && step(t('moveUp'), index - 1, IconArrowUp, index > 0)}
          {!disabled && step(t('moveDown'), index + 1, IconArrowDown, index < form.values.length - 1)}
          {!disabled && !isBoolean && (
            <Tooltip label={t('values.remove')}>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`${t('values.remove')}: ${about}`}
                onClick={onRemove}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      </Group>
      <Collapse expanded={opened}>
        {opened && (
          <Stack gap="sm" mt="sm">
            <TextsFields
              languages={languages.filter(({ tag }) => tag !== byDefault?.tag)}
              among={languages}
              texts={row.texts}
              fallback={row.value}
              about={about}
              disabled={disabled}
              onChange={(texts) => onChange({ texts })}
            />
            <Group align="flex-start">
              <Switch
                label={t('values.retired')}
                description={t('values.retiredHint')}
                checked={row.retired}
                disabled={disabled}
                onChange={({ currentTarget: { checked } }) =>
                  onChange({ retired: checked, ...(!checked && { replacement: '' }) })
                }
              />
              {row.retired && (
                <Select
                  size="sm"
                  label={t('values.replacement')}
                  placeholder={t('values.noReplacement')}
                  clearable
                  disabled={disabled}
                  data={[...new Set(others.map(({ value }) => value))]}
                  value={row.replacement === '' ? null : row.replacement}
                  onChange={(replacement) => onChange({ replacement: replacement ?? '' })}
                />
              )}
            </Group>
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}
