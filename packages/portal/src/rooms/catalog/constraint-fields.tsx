import { SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CONSTRAINTS, type KeyForm } from './key-form.ts';

type Props = { form: KeyForm; disabled: boolean; onChange(constraint: KeyForm['constraint']): void };

/** What an open key allows. */
export function ConstraintFields({ form, disabled, onChange }: Props) {
  const { t } = useTranslation('catalog');
  const { type, constraint } = form;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
      {CONSTRAINTS[type].map((name) => (
        <TextInput
          key={name}
          size="sm"
          label={t(`constraint.${name}`)}
          {...(name === 'pattern' && { description: t('constraint.patternHint'), ff: 'monospace' })}
          type={type === 'date' ? 'date' : 'text'}
          inputMode={name === 'pattern' ? 'text' : 'decimal'}
          disabled={disabled}
          spellCheck={false}
          value={constraint[name]}
          onChange={(event) => onChange({ ...constraint, [name]: event.currentTarget.value })}
        />
      ))}
    </SimpleGrid>
  );
}
