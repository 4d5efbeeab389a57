import { Input, SegmentedControl, Stack } from '@mantine/core';

type Props = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  disabled: boolean;
  onChange(value: string): void;
};

/** One of a few options, all visible. */
export function Choice({ label, value, options, disabled, onChange }: Props) {
  return (
    <Stack gap={0} align="flex-start" role="group" aria-label={label}>
      <Input.Label labelElement="div" aria-hidden>
        {label}
      </Input.Label>
      <SegmentedControl
        value={value}
        disabled={disabled}
        data={options.map(([each, text]) => ({ value: each, label: text }))}
        onChange={onChange}
      />
    </Stack>
  );
}
