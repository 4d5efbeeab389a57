import { Anchor, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TreeLanguage } from '../../draft/queries.ts';
import { TextsFields } from './texts-fields.tsx';

type Props = {
  languages: readonly TreeLanguage[];
  texts: Record<string, string>;
  disabled: boolean;
  onChange(texts: Record<string, string>): void;
};

/** The help text of a group or key, in every language. Most have none: the fields appear on request. */
export function DescriptionFields({ languages, texts, disabled, onChange }: Props) {
  const { t } = useTranslation('catalog');
  const [isOpen, setOpen] = useState(false);
  const isThere = Object.values(texts).some((text) => text !== '');
  if (!isThere && disabled) return null;
  if (!isThere && !isOpen) {
    return (
      <Anchor component="button" type="button" size="sm" w="fit-content" onClick={() => setOpen(true)}>
        {t('help.add')}
      </Anchor>
    );
  }
  return (
    <Stack gap="xs" component="section" aria-label={t('help.title')}>
      <Text size="sm" fw={600}>
        {t('help.title')}
      </Text>
      <TextsFields
        languages={languages}
        texts={texts}
        fallback=""
        about={t('help.title')}
        disabled={disabled}
        onChange={onChange}
      />
    </Stack>
  );
}
