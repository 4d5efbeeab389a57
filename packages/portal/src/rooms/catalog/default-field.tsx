import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TreeLanguage } from '../../draft/queries.ts';
import type { KeyForm } from './key-form.ts';
import { defaultOf } from './texts.ts';

type Props = {
  form: KeyForm;
  languages: readonly TreeLanguage[];
  disabled: boolean;
  problem: string | undefined;
  onChange(byDefault: string[]): void;
};

/** The value for users who never chose. */
export function DefaultField({ form, languages, disabled, problem, onChange }: Props) {
  const { t } = useTranslation('catalog');
  const { multiple, listed, byDefault, type } = form;
  const own = { label: t('key.default'), description: t('key.defaultHint'), disabled, error: problem };
  const language = defaultOf(languages);
  if (listed) {
    const seen = new Set<string>();
    const data = form.values.flatMap(({ value, texts, retired }) => {
      if (value === '' || retired || seen.has(value)) return [];
      seen.add(value);
      const text = language && texts[language.name];
      return [{ value, label: text ? `${text} (${value})` : value }];
    });
    const known = byDefault.filter((value) => seen.has(value));
    if (multiple) return <MultiSelect {...own} clearable data={data} value={known} onChange={onChange} />;
    return (
      <Select
        {...own}
        clearable
        placeholder={t('key.noDefault')}
        data={data}
        value={known[0] ?? null}
        onChange={(value) => onChange(value === null ? [] : [value])}
      />
    );
  }
  if (multiple) return <TagsInput {...own} value={byDefault} onChange={onChange} />;
  return (
    <TextInput
      {...own}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={type === 'integer' || type === 'number' ? 'decimal' : 'text'}
      placeholder={t('key.noDefault')}
      value={byDefault[0] ?? ''}
      onChange={(event) => onChange(event.currentTarget.value === '' ? [] : [event.currentTarget.value])}
    />
  );
}
