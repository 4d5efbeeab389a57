import { Group, NumberInput, Radio, Select, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { separatorOf } from '../../shell/separator-of.ts';
import { SettingWarning } from './setting-warning.tsx';

const UNITS = { s: 'seconds', m: 'minutes', h: 'hours', d: 'days' } as const;
type Unit = keyof typeof UNITS;
const SECONDS: Record<Unit, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

const INITIAL_LIMIT = '600/1m';

type Props = {
  name: 'rateLimit' | 'addressRateLimit';
  value: string;
  disabled: boolean;
  error: string | undefined;
  onChange(value: string): void;
};

/** `600/1m` in words: 600 requests in 1 minute. */
export function RateLimitInput({ name, value, disabled, error, onChange }: Props) {
  const { t, i18n } = useTranslation('credentials');
  const label = t(`settings.${name}.label`);
  const limit = readLimit(value);
  const set = (change: Partial<typeof limit>) => {
    const { quota, time, unit } = { ...limit, ...change };
    onChange(`${quota}/${time}${unit}`);
  };
  const seconds = limit ? Number(limit.time) * SECONDS[limit.unit] : 1;
  const isOutside = Number(limit?.quota ?? 1) < 1 || seconds < 1 || seconds > SECONDS.d;
  const number = { allowDecimal: false, allowNegative: false, hideControls: true, disabled } as const;
  return (
    <Radio.Group
      label={label}
      description={t(`settings.${name}.text`)}
      value={limit ? 'limit' : value}
      onChange={(mode) => onChange(mode === 'limit' ? INITIAL_LIMIT : mode)}
      error={isOutside ? t('limit.range') : error}
    >
      <Stack my="sm" gap="sm">
        {name === 'rateLimit' && (
          <Radio
            value="default"
            disabled={disabled}
            label={t('settings.rateLimit.default.label')}
            description={t('settings.rateLimit.default.text')}
          />
        )}
        <Radio value="off" disabled={disabled} label={t('limit.off')} />
        <Radio value="limit" disabled={disabled} label={t('limit.own')} />
        {limit && (
          <>
            <Group gap="xs" pl={32}>
              <NumberInput
                {...number}
                w={110}
                min={1}
                max={999_999_999}
                thousandSeparator={separatorOf('group', i18n.language)}
                decimalSeparator={separatorOf('decimal', i18n.language)}
                aria-label={t('limit.requests', { label })}
                value={limit.quota}
                onChange={(quota) => set({ quota: String(quota) })}
              />
              <Text size="sm">{t('limit.in')}</Text>
              <NumberInput
                {...number}
                w={64}
                min={1}
                max={86_400}
                aria-label={t('limit.time', { label })}
                value={limit.time}
                onChange={(time) => set({ time: String(time) })}
              />
              <Select
                w={130}
                aria-label={t('duration.unit', { label })}
                data={Object.entries(UNITS).map(([unit, words]) => ({ value: unit, label: t(`duration.${words}`) }))}
                value={limit.unit}
                disabled={disabled}
                allowDeselect={false}
                onChange={(unit) => set({ unit: unit as Unit })}
              />
            </Group>
            <SettingWarning text={t(`settings.${name}.warning`)} />
          </>
        )}
      </Stack>
    </Radio.Group>
  );
}

/** Also while typing: a number may be missing. */
function readLimit(value: string): { quota: string; time: string; unit: Unit } | undefined {
  const match = /^(\d*)\/(\d*)([smhd]?)$/.exec(value);
  return match ? { quota: match[1] ?? '', time: match[2] ?? '', unit: (match[3] || 's') as Unit } : undefined;
}
