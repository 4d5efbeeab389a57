import { Group, Select, type SelectProps, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { KINDS, type Kind } from './kinds.ts';

type Props = Omit<SelectProps, 'value' | 'onChange' | 'data'> & { value: Kind; onChange(kind: Kind): void };

/** The kinds of keys, each with its meaning for users. */
export function KindSelect({ value, onChange, ...props }: Props) {
  const { t } = useTranslation('catalog');
  return (
    <Select
      {...props}
      label={t('key.type')}
      description={t(`typeHint.${value}`)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      allowDeselect={false}
      maxDropdownHeight={420}
      data={KINDS.map((kind) => ({ value: kind, label: t(`type.${kind}`) }))}
      renderOption={({ option, checked }) => (
        <Group justify="space-between" wrap="nowrap" flex={1}>
          <div>
            <Text size="sm">{option.label}</Text>
            <Text size="xs" c="dimmed">
              {t(`typeHint.${option.value as Kind}`)}
            </Text>
          </div>
          {checked && <IconCheck size={16} aria-hidden />}
        </Group>
      )}
      value={value}
      onChange={(kind) => kind && onChange(kind as Kind)}
    />
  );
}
