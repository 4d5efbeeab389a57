import { Group, Input, NumberInput, Select } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { largestUnit, spellDuration, UNITS, type Unit } from '../../shell/duration.ts';
import { separatorOf } from '../../shell/separator-of.ts';

/** A number of seconds, entered as minutes, hours or days. */
export function DurationInput(props: {
  label: string;
  description: string;
  seconds: number;
  min: number;
  max: number;
  disabled: boolean;
  error: string | undefined;
  onChange(seconds: number): void;
}) {
  const { label, description, seconds, min, max, disabled, error, onChange } = props;
  const { t, i18n } = useTranslation('credentials');
  const inWords = (amount: number) => spellDuration(amount, i18n.language);
  const id = useId();
  // Typing never changes it.
  const [unit, setUnit] = useState(() => largestUnit(seconds));
  const size = UNITS[unit];
  const problem =
    seconds < min || seconds > max ? t('duration.range', { min: inWords(min), max: inWords(max) }) : error;
  return (
    <Input.Wrapper label={label} description={description} error={problem} id={id} labelProps={{ htmlFor: id }}>
      <Group gap="xs" mt={6} wrap="nowrap">
        <NumberInput
          id={id}
          w={120}
          value={Math.round((seconds / size) * 100) / 100}
          min={0}
          disabled={disabled}
          error={problem !== undefined}
          onChange={(value) => onChange(Math.round(Number(value) * size))}
          // Seconds are stored, not fractions of the unit.
          decimalScale={2}
          decimalSeparator={separatorOf('decimal', i18n.language)}
          aria-describedby={`${id}-description${problem === undefined ? '' : ` ${id}-error`}`}
        />
        <Select
          w={140}
          aria-label={t('duration.unit', { label })}
          data={(Object.keys(UNITS) as Unit[]).map((value) => ({ value, label: t(`duration.${value}`) }))}
          value={unit}
          disabled={disabled}
          allowDeselect={false}
          onChange={(value) => {
            if (value === null) return;
            // The number stays: changing 10 minutes to hours means 10 hours.
            setUnit(value);
            onChange(Math.round((seconds / size) * UNITS[value]));
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}
