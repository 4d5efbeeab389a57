import { Divider, NumberInput, Radio, Select, Stack, Switch, TagsInput } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DurationInput } from './duration-input.tsx';
import { AccentColorField, LogoField } from './page-look.tsx';
import { RateLimitInput } from './rate-limit-input.tsx';
import { SettingWarning } from './setting-warning.tsx';
import type { Settings } from './settings.ts';

const MODES = ['open', 'secret', 'off'] as const;
const ALGORITHMS = ['EdDSA', 'RS256', 'ES256'];
const DAY = 86_400;

type Props = {
  shown: Settings;
  mayChange: boolean;
  problemOf(name: keyof Settings): string | undefined;
  set(change: Partial<Settings>): void;
};

/** One field for each setting; a missing one does not compile. */
export function SettingsFields({ shown, mayChange, problemOf, set }: Props) {
  const { t } = useTranslation('credentials');
  const lifetime = (name: 'specialTokenTtl' | 'accessTokenTtl', max: number) => (
    <DurationInput
      label={t(`settings.${name}.label`)}
      description={t(`settings.${name}.text`)}
      seconds={shown[name]}
      min={60}
      max={max}
      disabled={!mayChange}
      error={problemOf(name)}
      onChange={(seconds) => set({ [name]: seconds })}
    />
  );
  const limit = (name: 'rateLimit' | 'addressRateLimit') => (
    <RateLimitInput
      name={name}
      value={shown[name]}
      disabled={!mayChange}
      error={problemOf(name)}
      onChange={(value) => set({ [name]: value })}
    />
  );
  const fields: Record<keyof Settings, ReactNode> = {
    specialTokenTtl: lifetime('specialTokenTtl', 7 * DAY),
    accessTokenTtl: lifetime('accessTokenTtl', 30 * DAY),
    deleteNeedsCredentials: (
      <Stack gap="xs">
        <Divider mb="xs" />
        <Switch
          label={t('settings.deleteNeedsCredentials.label')}
          description={t('settings.deleteNeedsCredentials.text')}
          checked={shown.deleteNeedsCredentials}
          disabled={!mayChange}
          onChange={(event) => set({ deleteNeedsCredentials: event.currentTarget.checked })}
        />
        {!shown.deleteNeedsCredentials && <SettingWarning text={t('settings.deleteNeedsCredentials.warning')} />}
      </Stack>
    ),
    saveByUserUid: (
      <Radio.Group
        label={t('settings.saveByUserUid.label')}
        description={t('settings.saveByUserUid.text')}
        value={shown.saveByUserUid}
        onChange={(saveByUserUid) => set({ saveByUserUid })}
        error={problemOf('saveByUserUid')}
      >
        <Stack mt="sm" gap="sm">
          {MODES.map((mode) => (
            <Radio
              key={mode}
              value={mode}
              disabled={!mayChange}
              label={t(`settings.saveByUserUid.${mode}.label`)}
              description={t(`settings.saveByUserUid.${mode}.text`)}
            />
          ))}
        </Stack>
      </Radio.Group>
    ),
    allowedOrigins: (
      <Stack gap="xs">
        <TagsInput
          label={t('settings.allowedOrigins.label')}
          description={t('settings.allowedOrigins.text')}
          placeholder={shown.allowedOrigins.length === 0 ? 'https://app.example.com' : ''}
          value={shown.allowedOrigins}
          disabled={!mayChange}
          splitChars={[',', ' ', ';']}
          acceptValueOnBlur
          clearable
          onChange={(allowedOrigins) => set({ allowedOrigins })}
          error={problemOf('allowedOrigins')}
        />
        {shown.allowedOrigins.includes('*') && <SettingWarning text={t('settings.allowedOrigins.warning')} />}
      </Stack>
    ),
    rateLimit: (
      <Stack gap="lg">
        <Divider />
        {limit('rateLimit')}
      </Stack>
    ),
    addressRateLimit: limit('addressRateLimit'),
    tokenAlgorithm: (
      <Stack gap="lg">
        <Divider />
        <Select
          label={t('settings.tokenAlgorithm.label')}
          description={t('settings.tokenAlgorithm.text')}
          data={ALGORITHMS}
          value={shown.tokenAlgorithm}
          allowDeselect={false}
          disabled={!mayChange}
          error={problemOf('tokenAlgorithm')}
          onChange={(chosen) => set({ tokenAlgorithm: chosen as Settings['tokenAlgorithm'] })}
        />
      </Stack>
    ),
    tokenClaims: (
      <TagsInput
        label={t('settings.tokenClaims.label')}
        description={t('settings.tokenClaims.text')}
        placeholder={shown.tokenClaims.length === 0 ? 'appearance.theme' : ''}
        value={shown.tokenClaims}
        disabled={!mayChange}
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        clearable
        onChange={(tokenClaims) => set({ tokenClaims })}
        error={problemOf('tokenClaims')}
      />
    ),
    historyKept: (
      <Stack gap="lg">
        <Divider />
        <NumberInput
          label={t('settings.historyKept.label')}
          description={t('settings.historyKept.text')}
          value={shown.historyKept}
          min={0}
          max={36_500}
          allowDecimal={false}
          disabled={!mayChange}
          error={problemOf('historyKept')}
          onChange={(days) => set({ historyKept: Number(days) })}
        />
      </Stack>
    ),
    eventsKept: (
      <NumberInput
        label={t('settings.eventsKept.label')}
        description={t('settings.eventsKept.text')}
        value={shown.eventsKept}
        min={0}
        max={90}
        allowDecimal={false}
        disabled={!mayChange}
        error={problemOf('eventsKept')}
        onChange={(days) => set({ eventsKept: Number(days) })}
      />
    ),
    accentColor: (
      <Stack gap="lg">
        <Divider />
        <AccentColorField {...{ shown, mayChange, set }} problem={problemOf('accentColor')} />
      </Stack>
    ),
    logo: <LogoField {...{ shown, mayChange, set }} problem={problemOf('logo')} />,
  };
  return Object.entries(fields).map(([name, field]) => <Fragment key={name}>{field}</Fragment>);
}
