import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type Range, rangeQuery, type Span, writeMoment } from './range.ts';

type Props = {
  range: Range;
  spans: readonly Span[];
  onChange(range: Range): void;
  /** For a small filter without a visible label. */
  small?: { label: string; placeholder: string };
};

/** The last hour, day and so on; or from one time to another, in the reader's time zone. */
export function TimeRange({ range, spans, onChange, small }: Props) {
  const { t } = useTranslation();
  // Keeps the fields open while a time is typed: it is not valid yet.
  const [isOpen, setOpen] = useState(false);
  const isOwn = range.span === undefined && (isOpen || range.from !== undefined || range.to !== undefined);
  const choose = (value: string | null) => {
    setOpen(value === 'own');
    if (value === null) onChange({});
    else if (value !== 'own') onChange({ span: value as Span });
    else onChange({ from: rangeQuery({ span: range.span ?? 'day' }).from });
  };
  return (
    <>
      <Select
        w={{ base: '47%', xs: 170 }}
        {...(small ? { size: 'xs', 'aria-label': small.label } : { label: t('range.label') })}
        placeholder={small?.placeholder ?? t('range.all')}
        clearable
        clearButtonProps={{ 'aria-label': t('range.clear') }}
        data={[
          ...spans.map((value) => ({ value, label: t(`range.${value}`) })),
          { value: 'own', label: t('range.own') },
        ]}
        value={isOwn ? 'own' : (range.span ?? null)}
        onChange={choose}
      />
      {isOwn &&
        (['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            w={{ base: '47%', xs: 205 }}
            type="datetime-local"
            {...(small
              ? { size: 'xs', 'aria-label': `${small.label}: ${t(`range.${end}`)}` }
              : { label: t(`range.${end}`) })}
            value={toLocal(range[end])}
            onChange={(event) => {
              setOpen(true);
              const date = new Date(event.currentTarget.value);
              const { [end]: _, ...rest } = range;
              onChange(Number.isNaN(date.getTime()) ? rest : { ...rest, [end]: writeMoment(date) });
            }}
          />
        ))}
    </>
  );
}

/** In the format of the browser's own field. */
export function toLocal(moment: string | undefined): string {
  if (moment === undefined) return '';
  const date = new Date(`${moment.replace(' ', 'T')}Z`);
  return writeMoment(new Date(date.getTime() - date.getTimezoneOffset() * 60_000))
    .slice(0, 16)
    .replace(' ', 'T');
}
