import { TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

/** Takes the focus when it appears: only the code is still missing. */
export function CodeField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { t } = useTranslation('sign-in');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <TextInput
      ref={input}
      required
      withAsterisk={false}
      label={t('code')}
      description={t('codeHint')}
      autoComplete="one-time-code"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
