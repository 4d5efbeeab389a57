import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languagesQuery } from '../translations/languages-query.ts';

/** For a translator; none selected: all. */
export function LanguagesSelect(props: {
  clientId: string;
  value: string[];
  onChange(tags: string[]): void;
  label: string;
  disabled?: boolean;
  compact?: boolean;
}) {
  const { clientId, value, onChange, label, disabled = false, compact = false } = props;
  const { t } = useTranslation('members');
  const [isOpen, setIsOpen] = useState(false);
  const { data: languages = [] } = useQuery(languagesQuery(clientId));
  return (
    <MultiSelect
      {...(compact ? { 'aria-label': label, w: 220, size: 'xs' } : { label, description: t('languagesHint') })}
      {...(value.length === 0 && { placeholder: t('allLanguages') })}
      data={languages.map(({ name, tag }) => ({ value: tag, label: name }))}
      value={value}
      disabled={disabled}
      onChange={onChange}
      hidePickedOptions
      // Usually one is chosen; an open list would cover the button below it.
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      onOptionSubmit={() => setIsOpen(false)}
    />
  );
}
