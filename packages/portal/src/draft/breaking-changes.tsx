import { Alert, Checkbox, List, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Fact } from './queries.ts';
import { useFactWords } from './use-fact-words.ts';

export type Breaking = { path: string; text: string; fact: Fact; selections: number };

type Props = { breaking: readonly Breaking[]; agreed: boolean; onAgree(agreed: boolean): void };

/** What users lose when this is published, and how many are affected; requires consent. */
export function BreakingChanges({ breaking, agreed, onAgree }: Props) {
  const { t } = useTranslation('catalog');
  const inWords = useFactWords();
  if (breaking.length === 0) return null;
  const affected = breaking.reduce((sum, { selections }) => sum + selections, 0);
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={t('publish.breaking')}>
      <Stack gap="xs">
        <List size="sm">
          {breaking.map(({ path, text, fact, selections }) => (
            <List.Item key={`${path} ${text}`}>
              <b>{path}</b>: {inWords(fact, text)} – {t('publish.affects', { count: selections })}
            </List.Item>
          ))}
        </List>
        <Checkbox
          checked={agreed}
          onChange={(event) => onAgree(event.currentTarget.checked)}
          label={t('publish.agree', { count: affected })}
        />
      </Stack>
    </Alert>
  );
}
