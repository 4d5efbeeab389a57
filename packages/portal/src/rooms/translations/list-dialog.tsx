import { Button, Group, Modal, Select, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../shell/copy.tsx';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { MainAct } from '../../shell/main-act.tsx';
import type { Sheet } from './sheet.ts';
import { type Line, linesOf, listMissing, readList } from './text-list.ts';
import { directionOf, isMissing, type Language } from './text-row.ts';
import type { GridAct } from './texts-grid.tsx';

type Props = { sheet: Sheet; languages: readonly Language[]; onAct(act: GridAct): void; onClose(): void };

/** All missing texts of a language as a list: out to any translator, and back in one paste. */
export function ListDialog({ opened, ...props }: Props & { opened: boolean }) {
  const { t } = useTranslation('translations');
  // After an accidental close, the input is still there.
  const kept = useRef<Record<string, string>>({});
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={t('list.title')}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {opened && <Lists kept={kept} {...props} />}
    </Modal>
  );
}

/** By language tag. */
type Kept = { current: Record<string, string> };

function Lists({ kept, sheet, languages, onAct, onClose }: Props & { kept: Kept }) {
  const { t } = useTranslation('translations');
  // As of the start: what others write meanwhile must not shift the lines.
  const [lists, setLists] = useState(() =>
    languages
      .map((language) => ({ language, lines: listMissing(sheet.state.rows, language, languages) }))
      .filter(({ lines }) => lines.length > 0),
  );
  const [wanted, setWanted] = useState<string>();
  const [hasTaken, setTaken] = useState(false);
  const shown = lists.find(({ language }) => language.tag === wanted) ?? lists[0];
  if (!shown) {
    return (
      <Stack>
        <Text>{t('noMatch.missing')}</Text>
        <Group justify="flex-end">
          <MainAct onClick={onClose}>{t('close')}</MainAct>
        </Group>
      </Stack>
    );
  }
  const { language, lines } = shown;
  const take = (typed: string) => {
    const given = readList(typed, lines, language.tag) ?? [];
    // What someone else wrote meanwhile stays.
    const changes = given.filter(({ id }) => {
      const row = sheet.row(id);
      return row && isMissing(row, language);
    });
    const changed = sheet.change(changes, 'paste');
    onAct({ act: 'paste', changed, empty: lines.length - given.length, outside: 0 });
    delete kept.current[language.tag];
    const left = lists.filter((each) => each !== shown);
    setLists(left);
    setTaken(true);
    if (left.length === 0) onClose();
  };
  return (
    <Stack>
      <Text size="sm">{t('list.text')}</Text>
      {lists.length > 1 && (
        <Select
          label={t('list.language')}
          maw={320}
          allowDeselect={false}
          data={lists.map((each) => ({
            value: each.language.tag,
            label: `${each.language.name} (${each.lines.length})`,
          }))}
          value={language.tag}
          onChange={(tag) => setWanted(tag ?? undefined)}
        />
      )}
      <List
        key={language.tag}
        kept={kept}
        language={language}
        lines={lines}
        // Applied texts stay.
        leave={t(hasTaken ? 'close' : 'cancel')}
        onTake={take}
        onClose={onClose}
      />
    </Stack>
  );
}

type ListProps = {
  kept: Kept;
  language: Language;
  lines: readonly Line[];
  leave: string;
  onTake(typed: string): void;
  onClose(): void;
};

function List(props: ListProps) {
  const { kept, language, lines, leave, onTake, onClose } = props;
  const { t } = useTranslation('translations');
  const [typed, setTyped] = useState(kept.current[language.tag] ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  const count = typed.trim() === '' ? 0 : linesOf(typed).length;
  const rows = { autosize: true, minRows: 6, maxRows: 14, wrap: 'off' } as const;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Stack gap="xs" align="stretch">
          <Textarea
            {...rows}
            label={t('list.missing', { count: lines.length })}
            readOnly
            value={lines.map(({ source }) => source).join('\n')}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton
            variant="light"
            value={lines.map(({ source }) => source).join('\n')}
            label={t('list.copy')}
            // On return, the next step is to paste.
            onCopy={() => field.current?.focus()}
          />
        </Stack>
        <Textarea
          {...rows}
          ref={field}
          data-autofocus
          label={language.name}
          lang={language.tag}
          dir={directionOf(language.tag)}
          placeholder={t('list.paste')}
          error={count > 0 && count !== lines.length && t('list.differ', { count, texts: lines.length })}
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            kept.current[language.tag] = value;
            setTyped(value);
          }}
        />
      </SimpleGrid>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {leave}
        </Button>
        <Button disabled={count !== lines.length} onClick={() => onTake(typed)}>
          {t('list.take')}
        </Button>
      </DialogActions>
    </>
  );
}
