import { SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TreeLanguage } from '../../draft/queries.ts';
import { filled } from './key-form.ts';
import { directionOf, labelIn } from './texts.ts';

/** One text in every language of the application, each in its own direction. */
export function TextsFields(props: {
  languages: readonly TreeLanguage[];
  texts: Record<string, string>;
  /** Shown if there is no text in any language. */
  fallback: string;
  /** All languages of the application, if only some have a field. */
  among?: readonly TreeLanguage[];
  disabled?: boolean;
  /** Before the language, for screen readers. */
  about?: string;
  onChange(texts: Record<string, string>): void;
}) {
  const { languages, texts, fallback, among = languages, disabled = false, about, onChange } = props;
  const given = { name: fallback, translations: filled(texts) };
  const { t } = useTranslation('catalog');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="xs">
      {languages.map((language) => {
        const { name, tag, default: isDefault } = language;
        return (
          <TextInput
            key={tag}
            size="sm"
            label={name}
            {...(about !== undefined && { 'aria-label': `${about}: ${name}` })}
            {...(isDefault && { description: t('texts.default') })}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder={labelIn(given, language, among)}
            lang={tag}
            dir={directionOf(tag)}
            maxLength={2000}
            disabled={disabled}
            value={texts[name] ?? ''}
            onChange={(event) => onChange({ ...texts, [name]: event.currentTarget.value })}
          />
        );
      })}
    </SimpleGrid>
  );
}
