import { Alert, Checkbox, List, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useDetailWords } from './use-detail-words.ts';

export type Breaking = { path: string; text: string; selections: number };

type Props = { breaking: readonly Breaking[]; agreed: boolean; onAgree(agreed: boolean): void };

/** What a publication takes from users, and for how many; it waits for a yes. */
export function BreakingChanges({ breaking, agreed, onAgree }: Props) {
  const { t } = useTranslation('catalog');
  const inWords = useDetailWords();
  if (breaking.length === 0) return null;
  const touched = breaking.reduce((sum, { selections }) => sum + selections, 0);
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={t('publish.breaking')}>
      <Stack gap="xs">
        <List size="sm">
          {breaking.map(({ path, text, selections }) => (
            <List.Item key={`${path} ${text}`}>
              <b>{path}</b>: {inWords(text)} – {t('publish.touches', { count: selections })}
            </List.Item>
          ))}
        </List>
        <Checkbox
          checked={agreed}
          onChange={(event) => onAgree(event.currentTarget.checked)}
          label={t('publish.agree', { count: touched })}
        />
      </Stack>
    </Alert>
  );
}
