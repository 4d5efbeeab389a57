import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { NameProblem } from './form-problems.ts';

type Props = {
  description: string;
  value: string;
  problem: NameProblem;
  /** None could be derived from the label: it has to be typed. */
  noName?: boolean;
  /** The service's error, if it was asked. */
  refused: string | undefined;
  what: 'group' | 'key';
  disabled?: boolean;
  readOnly?: boolean;
  onChange(name: string): void;
};

/** The API name, with any problem next to it. */
export function NameField(props: Props) {
  const { description, value, problem, noName = false, refused, what, onChange } = props;
  const { t } = useTranslation('catalog');
  const error =
    problem === 'taken'
      ? t(`nameTaken.${what}`)
      : problem === 'blank'
        ? t(noName ? 'nameNotMade' : 'nameBlank')
        : refused;
  return (
    <TextInput
      label={t('name')}
      description={description}
      required
      maw={360}
      maxLength={255}
      spellCheck={false}
      disabled={props.disabled ?? false}
      readOnly={props.readOnly ?? false}
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
