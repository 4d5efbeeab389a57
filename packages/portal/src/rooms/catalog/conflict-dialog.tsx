import { Button, Code, Modal, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ChangeList } from '../../draft/change-list.tsx';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { Moment } from '../../shell/moment.tsx';
import classes from '../../shell/text-block.module.css';
import type { FieldConflict } from './merge.ts';
import type { Conflict } from './use-merged-save.ts';

/** The conflicts, side by side: in the draft and as typed here. */
export function ConflictDialog(props: {
  conflict: Conflict | undefined;
  onKeepMine(): void;
  onTakeTheirs(): void;
  onClose(): void;
}) {
  const { conflict, onKeepMine, onTakeTheirs, onClose } = props;
  const { t } = useTranslation('catalog');
  const wordFor = useWords();
  return (
    <Modal
      opened={conflict !== undefined}
      onClose={onClose}
      size="xl"
      title={t('conflict.title')}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {conflict && (
        <Stack>
          <Text>{t(conflict.isGone ? 'conflict.gone' : 'conflict.text')}</Text>
          {conflict.edits.map((edit) => (
            <div key={edit.version}>
              <Text size="sm" fw={600}>
                {edit.author} · <Moment at={edit.at} />
              </Text>
              <ChangeList changes={edit.changes} />
            </div>
          ))}
          {conflict.fields.length > 0 && (
            // Both sides are in sight on a phone too: long texts wrap.
            <Table withTableBorder withColumnBorders layout="fixed" horizontalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w="28%">{t('conflict.field')}</Table.Th>
                  <Table.Th>{t('conflict.theirs')}</Table.Th>
                  <Table.Th>{t('conflict.yours')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {conflict.fields.map((field) => (
                  <Table.Tr key={wordFor(field)}>
                    <Table.Th scope="row">{wordFor(field)}</Table.Th>
                    {[field.theirs, field.mine].map((side, index) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the two sides, always in this order
                      <Table.Td key={index}>
                        <Code block className={classes.body ?? ''} px={6}>
                          {show(side)}
                        </Code>
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {t('conflict.back')}
            </Button>
            <Button variant="default" onClick={onTakeTheirs}>
              {t('conflict.takeTheirs')}
            </Button>
            {!conflict.isGone && <Button onClick={onKeepMine}>{t('conflict.keepMine')}</Button>}
          </DialogActions>
        </Stack>
      )}
    </Modal>
  );
}

/** The names that the editors use. */
function useWords(): (field: FieldConflict) => string {
  const { t } = useTranslation('catalog');
  const words: Record<string, string> = {
    name: t('name'),
    type: t('key.type'),
    multiple: t('key.howMany'),
    min: t('key.min'),
    max: t('key.max'),
    default: t('key.default'),
    values: t('key.listed'),
    constraint: t('key.open'),
    retired: t('values.retired'),
    replacement: t('values.replacement'),
  };
  return ({ value, language, member }) =>
    [value, language, member && (words[member] ?? member)].filter((word) => word !== undefined).join(' · ');
}

function show(value: unknown): string {
  if (value === undefined) return '–';
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
