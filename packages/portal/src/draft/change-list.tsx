import { Badge, Box, Button, Group, List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Change } from './queries.ts';
import { useFactWords } from './use-fact-words.ts';

const COLORS = {
  added: 'green',
  changed: 'blue',
  renamed: 'grape',
  archived: 'orange',
  removed: 'orange',
  restored: 'teal',
} as const;

/** More are shown on request. */
const SHOWN = 40;

type Props = {
  changes: readonly Change[];
  /** Replaces the service's description of a new key. */
  wordsOf?: (path: string) => string | undefined;
};

/** A difference between two catalogs, in readable form. */
export function ChangeList({ changes, wordsOf }: Props) {
  const { t } = useTranslation('catalog');
  const [all, setAll] = useState(false);
  if (changes.length === 0) return <Text c="dimmed">{t('changes.none')}</Text>;
  const shown = all ? changes : changes.slice(0, SHOWN);
  return (
    <Stack gap={0}>
      {shown.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a difference is never reordered
        <ChangeLine key={index} change={withWords(change, wordsOf)} />
      ))}
      {shown.length < changes.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
          {t('changes.more', { count: changes.length - shown.length })}
        </Button>
      )}
    </Stack>
  );
}

function withWords(change: Change, wordsOf: Props['wordsOf']): Change {
  const words = change.kind === 'added' && change.subject === 'key' ? wordsOf?.(change.path) : undefined;
  return words === undefined ? change : { ...change, details: [words], facts: [] };
}

function ChangeLine({ change: { kind, subject, path, details, facts, selections } }: { change: Change }) {
  const { t } = useTranslation('catalog');
  const inWords = useFactWords();
  return (
    <Box py={6}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge variant="dot" color={COLORS[kind]} miw={108} mt={2} style={{ flexShrink: 0 }}>
          {t(`changes.kind.${kind}`)}
        </Badge>
        <Box miw={0}>
          <Text size="sm">
            <Text span c="dimmed" inherit>
              {t(`changes.subject.${subject}`)}
            </Text>{' '}
            <Text span fw={600} inherit>
              {path}
            </Text>
            {selections !== undefined && selections > 0 && (
              <Text span c="dimmed" inherit>
                {' · '}
                {t('changes.selections', { count: selections })}
              </Text>
            )}
          </Text>
          {details.length > 0 && (
            <List size="sm" c="dimmed" listStyleType="none">
              {details.map((detail, index) => (
                <List.Item key={detail}>{inWords(facts?.[index], detail)}</List.Item>
              ))}
            </List>
          )}
        </Box>
      </Group>
    </Box>
  );
}
