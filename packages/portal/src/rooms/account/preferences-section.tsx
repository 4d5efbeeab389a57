import { Group, Input, SegmentedControl, Select } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { THEMES, usePreferences } from '../../api/preferences.ts';
import { PORTAL_LANGUAGES, type PortalLanguage } from '../../i18n.ts';
import { Problem } from '../../shell/states.tsx';
import { Section } from './section.tsx';

export function PreferencesSection() {
  const { t } = useTranslation('account');
  const { t: shell } = useTranslation();
  const { theme, setTheme, language, setLanguage, error } = usePreferences();
  const themeLabel = useId();
  return (
    <Section title={t('preferences')} about={t('preferencesAbout')}>
      <Group gap="lg" align="flex-start">
        <Input.Wrapper label={shell('theme.title')} labelElement="div" labelProps={{ id: themeLabel }}>
          <SegmentedControl
            mt={4}
            fullWidth
            aria-labelledby={themeLabel}
            data={THEMES.map((value) => ({ value, label: shell(`theme.${value}`) }))}
            value={theme}
            onChange={(value) => setTheme(value)}
          />
        </Input.Wrapper>
        <Select
          label={shell('language')}
          allowDeselect={false}
          data={Object.entries(PORTAL_LANGUAGES).map(([value, label]) => ({ value, label }))}
          value={language}
          onChange={(value) => setLanguage((value ?? 'en') as PortalLanguage)}
        />
      </Group>
      <Problem error={error} />
    </Section>
  );
}
