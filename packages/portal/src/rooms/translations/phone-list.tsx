import { Badge, Button, Checkbox, Drawer, Group, Select, Stack, Text, Textarea, UnstyledButton } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LanguageProgress } from './language-progress.tsx';
import { NO_PROGRESS, type Progress } from './progress.ts';
import type { Sheet } from './sheet.ts';
import type { SheetState } from './sheet-state.ts';
import {
  defaultTag,
  directionOf,
  hasIssue,
  isMissing,
  type Language,
  sourceOf,
  stateOf,
  type TextRow,
  type TextState,
} from './text-row.ts';
import type { FilterControl } from './use-filter.ts';
import classes from './workbench.module.css';

type Props = {
  sheet: Sheet;
  state: SheetState;
  filter: FilterControl;
  languages: readonly Language[];
  progress: ReadonlyMap<string, Progress>;
  isReadOnly: boolean;
  /** Stays in sight: what could not be saved needs a decision. */
  saveState: ReactNode;
  onReview: (spots: readonly { id: string; tag: string }[]) => void;
};

/** On a narrow screen, one language at a time: the source, and below it the text, to tap. */
export function PhoneList({ sheet, filter, languages, progress, isReadOnly, saveState, onReview }: Props) {
  const { t } = useTranslation('translations');
  const { ids, shown } = filter;
  const [wanted, setTag] = useState<string>();
  const language =
    shown.find(({ tag }) => tag === wanted) ?? shown.find(({ isDefault }) => !isDefault) ?? (shown[0] as Language);
  const [open, setOpen] = useState<string>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: ids.length,
    estimateSize: () => 104,
    overscan: 6,
    scrollMargin: top,
    useFlushSync: false,
    // A new function would cause all rows to be measured again.
    getItemKey: useCallback((index: number) => ids[index] ?? index, [ids]),
  });
  const from = defaultTag(languages);
  const mayReview = !(isReadOnly || language.isDefault || (language.isLocked ?? false));
  // Only listed texts: a filter may have hidden others.
  const chosenIds = ids.filter((id) => chosen.has(id));
  const reviewListed = () => {
    const wanted = chosenIds.length > 0 ? chosenIds : ids;
    onReview(wanted.map((id) => ({ id, tag: language.tag })));
    setChosen(new Set());
  };
  const choose = (id: string) =>
    setChosen(new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]));
  const done = progress.get(language.tag) ?? NO_PROGRESS;
  const opened = sheet.row(open ?? '');
  const at = ids.indexOf(open ?? '');
  return (
    <>
      <Select
        label={t('phone.language')}
        data={shown.map(({ tag, name }) => ({ value: tag, label: name }))}
        value={language.tag}
        onChange={(tag) => {
          setTag(tag ?? undefined);
          setChosen(new Set());
        }}
        allowDeselect={false}
      />
      <LanguageProgress name={language.name} isDefault={language.isDefault} {...done} />
      {!isReadOnly && (
        <Stack gap={6} className={classes.reviewing ?? ''}>
          {saveState}
          {mayReview && (
            <Button variant="default" size="xs" onClick={reviewListed}>
              {chosenIds.length > 0 ? t('review.selected', { count: chosenIds.length }) : t('review.all')}
            </Button>
          )}
        </Stack>
      )}
      <ul ref={list} className={classes.list} aria-label={t('grid.label')} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const row = sheet.row(ids[index] ?? '');
          if (!row) return null;
          return (
            <li
              key={row.id}
              ref={rows.measureElement}
              data-index={index}
              className={classes.card}
              style={{ position: 'absolute', top: 0, insetInline: 0, transform: `translateY(${start - top}px)` }}
            >
              <Card
                row={row}
                language={language}
                source={sourceOf(row, shown)}
                state={stateOf(row, language, from)}
                isReadOnly={isReadOnly || (language.isLocked ?? false)}
                isChosen={chosen.has(row.id)}
                {...(mayReview && { onChoose: () => choose(row.id) })}
                onOpen={() => setOpen(row.id)}
              />
            </li>
          );
        })}
      </ul>
      {opened && (
        <TextDrawer
          key={opened.id}
          row={opened}
          language={language}
          source={sourceOf(opened, shown)}
          isLast={at < 0 || at >= ids.length - 1}
          {...(hasIssue(opened, language, 'unreviewed', from) && {
            onReview: () => {
              onReview([{ id: opened.id, tag: language.tag }]);
              setOpen(undefined);
            },
          })}
          onType={(text) => sheet.type({ id: opened.id, tag: language.tag, text })}
          onClose={() => {
            sheet.type(undefined);
            setOpen(undefined);
          }}
          onSave={(text, isNext) => {
            if (text === undefined) sheet.type(undefined);
            else sheet.change([{ id: opened.id, tag: language.tag, text: text === '' ? null : text }], 'edit');
            setOpen(isNext ? ids[at + 1] : undefined);
          }}
        />
      )}
    </>
  );
}

function Card(props: {
  row: TextRow;
  language: Language;
  source: string;
  state: TextState | undefined;
  isReadOnly: boolean;
  isChosen: boolean;
  onChoose?: () => void;
  onOpen: () => void;
}) {
  const { row, language, source, state, isReadOnly, isChosen, onChoose, onOpen } = props;
  const { t } = useTranslation('translations');
  const text = row.texts[language.tag];
  const mark = row.marks?.[language.tag];
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="xs" c="dimmed">
          <bdi>{row.parent === '' ? row.name : `${row.parent} › ${row.name}`}</bdi>
        </Text>
        {onChoose && text !== undefined && (
          <Checkbox aria-label={t('phone.select', { label: row.name })} checked={isChosen} onChange={onChoose} />
        )}
      </Group>
      <Text size="sm" mb={4} dir="auto">
        {source}
      </Text>
      <UnstyledButton
        className={classes.cardText}
        data-missing={isMissing(row, language) || undefined}
        data-phase={mark?.phase}
        disabled={isReadOnly}
        aria-label={t('phone.edit', { label: row.name, text: text ?? t('phone.missing') })}
        onClick={onOpen}
      >
        <Text size="sm" component="span" lang={language.tag} dir="auto" {...(text === undefined && { c: 'dimmed' })}>
          {text ?? (language.isDefault ? row.name : t('phone.missing'))}
        </Text>
      </UnstyledButton>
      {state && (
        <Badge size="xs" mt={4} variant="default">
          {t(`state.${state}`)}
        </Badge>
      )}
      {mark && (
        <Badge
          size="xs"
          mt={4}
          variant="light"
          color={mark.phase === 'refused' || mark.phase === 'conflict' ? 'red' : 'yellow'}
        >
          {t(`mark.${mark.phase}`)}
        </Badge>
      )}
    </>
  );
}

function TextDrawer(props: {
  row: TextRow;
  language: Language;
  source: string;
  isLast: boolean;
  onReview?: () => void;
  onType: (text: string) => void;
  onClose: () => void;
  /** Without a text, nothing was typed: someone else may have changed it meanwhile. */
  onSave: (text: string | undefined, isNext: boolean) => void;
}) {
  const { row, language, source, isLast, onReview, onType, onClose, onSave } = props;
  const { t } = useTranslation('translations');
  const [before] = useState(row.texts[language.tag] ?? '');
  const [text, setText] = useState(before);
  const save = (isNext: boolean) => onSave(text === before ? undefined : text, isNext);
  return (
    <Drawer
      opened
      onClose={() => save(false)}
      position="bottom"
      closeButtonProps={{ 'aria-label': t('close') }}
      size="min(22rem, 90dvh)"
      title={<bdi>{row.parent === '' ? row.name : `${row.parent} › ${row.name}`}</bdi>}
    >
      <Stack>
        <Text size="sm" dir="auto" className={classes.quote}>
          {source}
        </Text>
        <Textarea
          label={language.name}
          data-autofocus
          autosize
          minRows={2}
          maxRows={8}
          lang={language.tag}
          dir={text === '' ? directionOf(language.tag) : 'auto'}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            onType(event.currentTarget.value);
          }}
        />
        {/* Each line is filled, however long the words are. */}
        <Group gap="xs" grow preventGrowOverflow={false}>
          <Button variant="subtle" color="gray" onClick={onClose}>
            {t('cancel')}
          </Button>
          {onReview && text !== '' && text === row.texts[language.tag] && (
            <Button variant="default" onClick={onReview}>
              {t('review.one')}
            </Button>
          )}
          <Button variant="default" onClick={() => save(false)}>
            {t('phone.save')}
          </Button>
          {!isLast && <Button onClick={() => save(true)}>{t('phone.saveNext')}</Button>}
        </Group>
      </Stack>
    </Drawer>
  );
}
