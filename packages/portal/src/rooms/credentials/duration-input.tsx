import { Group, Input, NumberInput, Select } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

const UNITS = { minutes: 60, hours: 3600, days: 86_400 } as const;
type Unit = keyof typeof UNITS;

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
  const { t } = useTranslation('credentials');
  const id = useId();
  // Typing never changes it.
  const [unit, setUnit] = useState(() => largestUnit(seconds));
  const size = UNITS[unit];
  const problem =
    seconds < min || seconds > max ? t('duration.range', { min: spell(min, t), max: spell(max, t) }) : error;
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
          aria-describedby={`${id}-description`}
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

function largestUnit(seconds: number): Unit {
  if (seconds >= UNITS.days && seconds % UNITS.days === 0) return 'days';
  return seconds >= UNITS.hours && seconds % UNITS.hours === 0 ? 'hours' : 'minutes';
}

/** `2 days` */
export function spell(seconds: number, t: ReturnType<typeof useTranslation<'credentials'>>['t']): string {
  const unit = largestUnit(seconds);
  return t(`duration.spelled.${unit}`, { count: seconds / UNITS[unit] });
}
