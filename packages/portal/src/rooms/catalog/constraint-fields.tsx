import { SimpleGrid, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { limitProblems } from './form-problems.ts';
import { CONSTRAINTS, type ConstraintName, type KeyForm } from './key-form.ts';
import { useRefusal } from './refusals.ts';

type Props = {
  form: Pick<KeyForm, 'type' | 'constraint'>;
  /** Some of them; default: all that the type has. */
  names?: readonly ConstraintName[];
  disabled?: boolean;
  /** The service's error. */
  error: unknown;
  onChange(constraint: KeyForm['constraint']): void;
};

/** What an open key allows. */
export function ConstraintFields({ form, names, disabled = false, error, onChange }: Props) {
  const { t } = useTranslation('catalog');
  const { type, constraint } = form;
  const problems = limitProblems(form);
  const refused = useRefusal(error);
  const problemOf = (name: ConstraintName) => {
    const problem = problems.get(name);
    return problem ? t(`constraint.${problem}`) : refused(`constraint.${name}`);
  };
  const shown = names ?? CONSTRAINTS[type];
  return (
    <SimpleGrid cols={shown.length > 2 ? { base: 1, xs: 2, md: 3 } : 2} spacing="sm">
      {shown.map((name) => (
        <TextInput
          key={name}
          size="sm"
          label={t(`constraint.${name}`)}
          {...(name === 'pattern' && { description: t('constraint.patternHint'), ff: 'monospace' })}
          type={type === 'date' ? 'date' : 'text'}
          inputMode={name === 'pattern' ? 'text' : 'decimal'}
          disabled={disabled}
          spellCheck={false}
          error={problemOf(name)}
          value={constraint[name]}
          onChange={(event) => onChange({ ...constraint, [name]: event.currentTarget.value })}
        />
      ))}
    </SimpleGrid>
  );
}
