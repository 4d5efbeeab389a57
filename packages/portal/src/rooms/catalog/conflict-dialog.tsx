import { Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ChangeList } from '../../draft/change-list.tsx';
import { Moment } from '../../shell/moment.tsx';
import type { Conflict } from './use-merged-save.ts';

/** What somebody else did and what was typed here, side by side. */
export function ConflictDialog(props: {
  conflict: Conflict | undefined;
  onKeepMine(): void;
  onTakeTheirs(): void;
  onClose(): void;
}) {
  const { conflict, onKeepMine, onTakeTheirs, onClose } = props;
  const { t } = useTranslation('catalog');
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
            <Table.ScrollContainer minWidth={320}>
              <Table withTableBorder withColumnBorders>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('conflict.field')}</Table.Th>
                    <Table.Th>{t('conflict.theirs')}</Table.Th>
                    <Table.Th>{t('conflict.yours')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {conflict.fields.map(({ field, theirs, yours }) => (
                    <Table.Tr key={field}>
                      <Table.Th scope="row">{field}</Table.Th>
                      <Table.Td>
                        <Code block>{theirs}</Code>
                      </Table.Td>
                      <Table.Td>
                        <Code block>{yours}</Code>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('conflict.back')}
            </Button>
            <Button variant="default" onClick={onTakeTheirs}>
              {t('conflict.takeTheirs')}
            </Button>
            {!conflict.isGone && <Button onClick={onKeepMine}>{t('conflict.keepMine')}</Button>}
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
