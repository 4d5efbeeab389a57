import { SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TreeLanguage } from '../../draft/queries.ts';
import { directionOf } from './texts.ts';

/** One text in every language of the application, each in its own direction. */
export function TextsFields(props: {
  languages: readonly TreeLanguage[];
  texts: Record<string, string>;
  /** What is shown where there is none. */
  fallback: string;
  disabled?: boolean;
  /** Before the language, for whoever cannot see what the fields stand under. */
  about?: string;
  onChange(texts: Record<string, string>): void;
}) {
  const { languages, texts, fallback, disabled = false, about, onChange } = props;
  const { t } = useTranslation('catalog');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="xs">
      {languages.map(({ name, tag, default: isDefault }) => (
        <TextInput
          key={tag}
          size="sm"
          label={name}
          {...(about !== undefined && { 'aria-label': `${about}: ${name}` })}
          {...(isDefault && { description: t('texts.default') })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder={fallback}
          lang={tag}
          dir={directionOf(tag)}
          maxLength={2000}
          disabled={disabled}
          value={texts[name] ?? ''}
          onChange={(event) => onChange({ ...texts, [name]: event.currentTarget.value })}
        />
      ))}
    </SimpleGrid>
  );
}
