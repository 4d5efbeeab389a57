import { Group, NumberInput, Paper, Stack, Title } from '@mantine/core';
import type { ComponentProps, Dispatch, SetStateAction } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from './choice.tsx';
import { ConstraintFields } from './constraint-fields.tsx';
import { DefaultField } from './default-field.tsx';
import { areCountsCrossed } from './form-problems.ts';
import { type KeyForm, newRow } from './key-form.ts';
import { KindSelect } from './kind-select.tsx';
import { isList, kindOf, withKind } from './kinds.ts';
import { useRefusal } from './refusals.ts';
import { ValuesEditor } from './values-editor.tsx';

type Props = Omit<ComponentProps<typeof ValuesEditor>, 'onChange'> & {
  setForm: Dispatch<SetStateAction<KeyForm>>;
};

/** What can be chosen for a key: its kind, how many, and the values or limits. */
export function ValueFields({ form, languages, disabled, error, rows, tried, setForm }: Props) {
  const { t } = useTranslation('catalog');
  const refused = useRefusal(error);
  const crossed = areCountsCrossed(form) ? t('key.countsCrossed') : undefined;
  const kind = kindOf(form);
  const change = (part: Partial<KeyForm>) => setForm((held) => ({ ...held, ...part }));
  // For a list, the kind already says so; several booleans make no sense, unless a file defined them.
  const asksHowMany = !isList(kind) && (kind !== 'boolean' || form.multiple);
  const asksWhich = kind === 'integer' || kind === 'number' || kind === 'date';
  return (
    <Paper withBorder p="md" component="section" aria-label={t('key.values')} data-fields>
      <Stack gap="md">
        <Title order={3} size="h5">
          {t('key.values')}
        </Title>
        <Group align="flex-start" gap="lg">
          <KindSelect
            w={280}
            disabled={disabled}
            value={kind}
            onChange={(wanted) => setForm((held) => withKind(held, wanted))}
          />
          {asksHowMany && (
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
          )}
          {form.multiple && (
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <NumberInput
                label={t('key.min')}
                w={120}
                hideControls
                min={0}
                placeholder={t('key.anyNumber')}
                disabled={disabled}
                value={form.min}
                error={crossed ?? refused('min')}
                onChange={(min) => change({ min: String(min) })}
              />
              <NumberInput
                label={t('key.max')}
                w={120}
                hideControls
                min={1}
                placeholder={t('key.anyNumber')}
                disabled={disabled}
                value={form.max}
                error={crossed ?? refused('max')}
                onChange={(max) => change({ max: String(max) })}
              />
            </Group>
          )}
        </Group>
        {asksWhich && (
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
            error={error}
            rows={rows}
            tried={tried}
            onChange={(values) => change({ values })}
          />
        ) : (
          <ConstraintFields
            form={form}
            disabled={disabled}
            error={error}
            onChange={(constraint) => change({ constraint })}
          />
        )}
        <DefaultField
          form={form}
          languages={languages}
          disabled={disabled}
          problem={refused('default')}
          onChange={(byDefault) => change({ byDefault })}
        />
      </Stack>
    </Paper>
  );
}
