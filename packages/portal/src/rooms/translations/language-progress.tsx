import { Progress as Bar, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Progress, percentOf } from './progress.ts';

/** The progress of a language; nothing for the default one, in which nothing is missing. */
export function LanguageProgress(props: Progress & { name: string; isDefault: boolean }) {
  const { name, isDefault, total, missing, outdated } = props;
  const { t } = useTranslation('translations');
  if (isDefault) return null;
  const lacks = [
    ...(missing > 0 ? [t('grid.missing', { count: missing })] : []),
    ...(outdated > 0 ? [t('grid.outdated', { count: outdated })] : []),
  ];
  const text = lacks.length === 0 ? t('grid.complete') : lacks.join(' · ');
  return (
    <Stack gap={2} mt={4}>
      <Bar
        value={percentOf({ total, missing })}
        size="xs"
        color={missing + outdated === 0 ? 'inn' : 'yellow'}
        aria-label={t('grid.progress', { name })}
      />
      <Text size="xs" c="dimmed" truncate title={text}>
        {text}
      </Text>
    </Stack>
  );
}
