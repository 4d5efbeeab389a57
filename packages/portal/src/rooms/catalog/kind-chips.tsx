import '@mantine/core/styles/Chip.css';
import { Chip, Group, Input, Stack } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS, type Kind } from './kinds.ts';

/** The kinds of keys, all visible, with the meaning of the selected one. */
export function KindChips({ value, onChange }: { value: Kind; onChange(kind: Kind): void }) {
  const { t } = useTranslation('catalog');
  const id = useId();
  return (
    <Stack gap={6} role="radiogroup" aria-labelledby={`${id}-label`} aria-describedby={`${id}-hint`}>
      <Input.Label labelElement="div" id={`${id}-label`}>
        {t('key.type')}
      </Input.Label>
      <Chip.Group value={value} onChange={(kind) => onChange(kind)}>
        <Group gap={6}>
          {KINDS.map((kind) => (
            <Chip key={kind} name={id} value={kind} size="sm" variant="outline">
              {t(`type.${kind}`)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Input.Description id={`${id}-hint`}>{t(`typeHint.${value}`)}</Input.Description>
    </Stack>
  );
}
