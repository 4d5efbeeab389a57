import { Group, Kbd, Modal, Table, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { COMMAND, shortcuts, useOpened } from './open.ts';

/** What each key does: everywhere, in the catalog, in the grid of translations. */
const SHORTCUTS = {
  general: [
    ['palette', [[COMMAND, 'K'], ['/']]],
    ['help', [['?']]],
  ],
  catalog: [
    ['save', [[COMMAND, 'S']]],
    ['undoDraft', [[COMMAND, 'Z']]],
    ['redoDraft', [[COMMAND, 'Shift', 'Z']]],
  ],
  move: [
    ['arrows', [['↑'], ['↓'], ['←'], ['→']]],
    [
      'edges',
      [
        [COMMAND, '↑'],
        [COMMAND, '→'],
      ],
    ],
    ['row', [['Home'], ['End']]],
    [
      'corners',
      [
        [COMMAND, 'Home'],
        [COMMAND, 'End'],
      ],
    ],
    ['page', [['PageUp'], ['PageDown']]],
    [
      'nextMissing',
      [
        ['Alt', '↓'],
        ['Alt', '↑'],
      ],
    ],
    ['search', [[COMMAND, 'F']]],
  ],
  edit: [
    ['start', [['Enter'], ['F2']]],
    ['replace', [['A'], ['…']]],
    ['saveDown', [['Enter']]],
    ['saveRight', [['Tab']]],
    ['line', [['Shift', 'Enter']]],
    ['cancel', [['Esc']]],
    ['clear', [['Delete']]],
    ['review', [[COMMAND, 'Enter']]],
  ],
  blocks: [
    ['extend', [['Shift', '↓']]],
    ['all', [[COMMAND, 'A']]],
    [
      'copy',
      [
        [COMMAND, 'C'],
        [COMMAND, 'X'],
      ],
    ],
    ['paste', [[COMMAND, 'V']]],
    ['undo', [[COMMAND, 'Z']]],
    ['redo', [[COMMAND, 'Shift', 'Z']]],
  ],
} as const;

export function ShortcutsDialog() {
  const { t } = useTranslation('palette');
  return (
    <Modal opened={useOpened(shortcuts)} onClose={() => shortcuts.set(false)} title={t('shortcuts.title')} size="lg">
      {(Object.keys(SHORTCUTS) as (keyof typeof SHORTCUTS)[]).map((area) => (
        <section key={area}>
          <Title order={3} size="h5" mt="sm">
            {t(`shortcuts.${area}`)}
          </Title>
          <Table withRowBorders={false} verticalSpacing={4}>
            <Table.Tbody>
              {SHORTCUTS[area].map(([name, ways]) => (
                <Table.Tr key={name}>
                  <Table.Td>{t(`shortcuts.key.${name}`)}</Table.Td>
                  <Table.Td w="50%">
                    <Group gap={8}>
                      {ways.map((keys) => (
                        <Group gap={3} key={keys.join('+')} wrap="nowrap">
                          {keys.map((key) => (
                            <Kbd key={key}>{key}</Kbd>
                          ))}
                        </Group>
                      ))}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      ))}
    </Modal>
  );
}
