import { Button, Group, Modal, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Copy } from '../../shell/copy.tsx';
import type { Sheet } from './sheet.ts';
import type { Conflict } from './sheet-state.ts';
import type { Language } from './text-row.ts';
import classes from './workbench.module.css';

type Props = {
  opened: boolean;
  onClose: () => void;
  conflicts: readonly Conflict[];
  languages: readonly Language[];
  sheet: Sheet;
};

/** Texts that someone else changed meanwhile, side by side with the input: nothing is lost until someone chooses. */
export const ConflictsDialog = memo(function ConflictsDialog(props: Props) {
  const { opened, onClose, conflicts, languages, sheet } = props;
  const { t } = useTranslation('translations');
  const all = (side: 'mine' | 'theirs') => {
    for (const conflict of conflicts) sheet.resolve(conflict, side);
  };
  return (
    <Modal
      closeButtonProps={{ 'aria-label': t('close') }}
      opened={opened}
      onClose={onClose}
      title={t('conflict.title')}
      size="xl"
    >
      <Stack>
        <Text size="sm">{t('conflict.text')}</Text>
        {conflicts.length > 1 && (
          <Group>
            <Button size="xs" variant="default" onClick={() => all('mine')}>
              {t('conflict.allMine')}
            </Button>
            <Button size="xs" variant="default" onClick={() => all('theirs')}>
              {t('conflict.allTheirs')}
            </Button>
          </Group>
        )}
        {conflicts.slice(0, 50).map((conflict) => {
          const { id, path, tag, mine, theirs, isGone } = conflict;
          const name = languages.find((language) => language.tag === tag)?.name ?? tag;
          return (
            <Paper key={`${tag} ${id}`} withBorder p="sm">
              <Text size="xs" c="dimmed" mb={6}>
                <bdi>{path}</bdi> · <bdi>{name}</bdi>
              </Text>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                {(
                  [
                    ['mine', mine],
                    ['theirs', theirs],
                  ] as const
                ).map(([side, text]) => (
                  <Stack key={side} gap={6} justify="space-between">
                    <div>
                      <Text size="sm" fw={600}>
                        {t(`conflict.${side}`)}
                      </Text>
                      <Text
                        size="sm"
                        className={classes.quote}
                        dir="auto"
                        lang={tag}
                        {...(text === null && { c: 'dimmed' })}
                      >
                        {text ?? t(isGone ? 'conflict.gone' : 'conflict.none')}
                      </Text>
                    </div>
                    {isGone && side === 'mine' ? (
                      <Copy value={mine ?? ''} />
                    ) : (
                      <Button size="xs" variant="light" onClick={() => sheet.resolve(conflict, side)}>
                        {t(isGone ? 'conflict.discard' : side === 'mine' ? 'conflict.takeMine' : 'conflict.takeTheirs')}
                      </Button>
                    )}
                  </Stack>
                ))}
              </SimpleGrid>
            </Paper>
          );
        })}
      </Stack>
    </Modal>
  );
});
