import '@mantine/core/styles/Spoiler.css';
import {
  Badge,
  Button,
  Checkbox,
  Group,
  List,
  SegmentedControl,
  SimpleGrid,
  Spoiler,
  Stack,
  Text,
} from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldProblem } from '../../shell/problem-text.ts';
import type { Language } from './text-row.ts';
import classes from './workbench.module.css';

export type PreviewedText = {
  path: string;
  language: string;
  line: number;
  kind: 'new' | 'changed' | 'conflict';
  before: string | null;
  text: string;
  exported: string | null;
  source: { was: string; is: string } | null;
};
export type TextsPreview = {
  revision: number;
  exportedRevision: number | null;
  same: number;
  texts: PreviewedText[];
  problems: { line: number; path: string; language: string | null; message: string }[];
};

const COLOURS = { new: 'inn', changed: 'blue', conflict: 'red' } as const;
const EDGE_SPACES = /^\s|\s$/u;
const KINDS = ['new', 'changed', 'conflict'] as const;

/** The changes in a file, to choose from. Texts that someone else changed meanwhile are only imported on request. */
export function ImportPreview(props: {
  fileName: string;
  found: TextsPreview;
  languages: readonly Language[];
  isTaking: boolean;
  onTake: (texts: readonly PreviewedText[]) => void;
  actions: ReactNode;
}) {
  const { found, languages, onTake } = props;
  const { t } = useTranslation('translations');
  const [kind, setKind] = useState<'all' | PreviewedText['kind']>('all');
  const broken = useMemo(
    () => new Set(found.problems.map(({ path, language }) => `${language} ${path}`)),
    [found.problems],
  );
  const [chosen, setChosen] = useState(
    () => new Set(found.texts.filter((text) => text.kind !== 'conflict' && !broken.has(spotOf(text)))),
  );
  const counts = Map.groupBy(found.texts, (text) => text.kind);
  const shown = useMemo(() => found.texts.filter((text) => kind === 'all' || text.kind === kind), [found.texts, kind]);
  const spaced = useMemo(() => found.texts.filter(({ text }) => EDGE_SPACES.test(text)).length, [found.texts]);
  const names = new Map(languages.map(({ tag, name }) => [tag, name]));
  const choose = (texts: readonly PreviewedText[], isChosen: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      for (const text of texts) {
        if (isChosen && !broken.has(spotOf(text))) next.add(text);
        else next.delete(text);
      }
      return next;
    });

  return (
    <Stack gap="sm">
      <Text size="sm">
        {t('import.summary', { file: props.fileName, count: found.texts.length, same: found.same })}{' '}
        {found.exportedRevision === null
          ? t('import.unknownBase')
          : t('import.base', { revision: found.exportedRevision })}
      </Text>
      {found.problems.length > 0 && (
        <Spoiler maxHeight={90} showLabel={t('import.more')} hideLabel={t('import.less')}>
          <Text size="sm" c="red" fw={600}>
            {t('import.problems', { count: found.problems.length })}
          </Text>
          <List size="sm">
            {found.problems.slice(0, 200).map(({ line, path, message, language }) => (
              <List.Item key={`${line} ${language} ${path} ${message}`}>
                {t('import.line', { line })}: <bdi>{path}</bdi> {fieldProblem(message)}
              </List.Item>
            ))}
          </List>
        </Spoiler>
      )}
      {spaced > 0 && (
        <Text size="sm" className={classes.warn}>
          {t('import.spaced', { count: spaced })}
        </Text>
      )}
      {found.texts.length > 0 && (
        <>
          <Group justify="space-between">
            <SegmentedControl
              size="xs"
              className={classes.kinds}
              aria-label={t('import.show')}
              value={kind}
              onChange={(value) => setKind(value)}
              data={[
                { value: 'all', label: t('import.all', { count: found.texts.length }) },
                ...KINDS.map((each) => ({
                  value: each,
                  label: t(`import.kind.${each}`, { count: counts.get(each)?.length ?? 0 }),
                })),
              ]}
            />
            <Group gap="xs">
              <Button size="compact-sm" variant="subtle" onClick={() => choose(shown, true)}>
                {t('import.chooseAll')}
              </Button>
              <Button size="compact-sm" variant="subtle" onClick={() => choose(shown, false)}>
                {t('import.chooseNone')}
              </Button>
            </Group>
          </Group>
          <PreviewList
            texts={shown}
            names={names}
            chosen={chosen}
            broken={broken}
            onChoose={(text, isChosen) => choose([text], isChosen)}
          />
        </>
      )}
      <Group justify="flex-end">
        {props.actions}
        <Button
          disabled={chosen.size === 0}
          loading={props.isTaking}
          onClick={() => onTake(found.texts.filter((text) => chosen.has(text)))}
        >
          {t('import.take', { count: chosen.size })}
        </Button>
      </Group>
    </Stack>
  );
}

function PreviewList(props: {
  texts: readonly PreviewedText[];
  names: ReadonlyMap<string, string>;
  chosen: ReadonlySet<PreviewedText>;
  broken: ReadonlySet<string>;
  onChoose: (text: PreviewedText, isChosen: boolean) => void;
}) {
  const { texts, names, chosen, broken, onChoose } = props;
  const { t } = useTranslation('translations');
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: texts.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 84,
    overscan: 6,
    useFlushSync: false,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
    <section ref={scroller} className={classes.preview} tabIndex={0} aria-label={t('import.title')}>
      <ul className={classes.list} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const text = texts[index];
          if (!text) return null;
          const isBroken = broken.has(spotOf(text));
          return (
            <li
              key={index}
              ref={rows.measureElement}
              data-index={index}
              className={classes.previewRow}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Group gap="xs" wrap="nowrap" align="flex-start">
                <Checkbox
                  mt={2}
                  disabled={isBroken}
                  checked={chosen.has(text)}
                  onChange={(event) => onChoose(text, event.currentTarget.checked)}
                  aria-label={t('import.takeOne', { path: text.path, language: names.get(text.language) })}
                />
                <Stack gap={4} flex={1} miw={0}>
                  <Group gap={6}>
                    <Badge size="sm" variant="light" color={COLOURS[text.kind]}>
                      {t(`import.badge.${text.kind}`)}
                    </Badge>
                    <Text size="xs" c="dimmed">
                      <bdi>{text.path}</bdi> · <bdi>{names.get(text.language) ?? text.language}</bdi> ·{' '}
                      {t('import.line', { line: text.line })}
                    </Text>
                  </Group>
                  <SimpleGrid cols={2} spacing="sm">
                    <Side label={t('import.now')} text={text.before} tag={text.language} />
                    <Side label={t('import.inFile')} text={text.text} tag={text.language} />
                  </SimpleGrid>
                  {text.kind === 'conflict' && (
                    <Text size="xs" c="red">
                      {t('import.conflictNote', { text: text.exported ?? t('conflict.none') })}
                    </Text>
                  )}
                  {EDGE_SPACES.test(text.text) && (
                    <Text size="xs" className={classes.warn}>
                      {t('import.spaces')}
                    </Text>
                  )}
                  {text.source && (
                    <Text size="xs" className={classes.warn}>
                      {t('import.sourceChanged', text.source)}
                    </Text>
                  )}
                </Stack>
              </Group>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Side({ label, text, tag }: { label: string; text: string | null; tag: string }) {
  const { t } = useTranslation('translations');
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" className={classes.quote} dir="auto" lang={tag} {...(text === null && { c: 'dimmed' })}>
        {text === null ? t('conflict.none') : <WithEdges text={text} />}
      </Text>
    </div>
  );
}

/** Shows leading and trailing spaces, which would be invisible. */
function WithEdges({ text }: { text: string }) {
  const inner = text.trim();
  const start = text.indexOf(inner);
  const marks = (spaces: string) =>
    spaces !== '' && <mark>{spaces.replaceAll(/[^\n]/g, '·').replaceAll('\n', '↵')}</mark>;
  return (
    <>
      {marks(text.slice(0, start))}
      {inner}
      {marks(text.slice(start + inner.length))}
    </>
  );
}

function spotOf({ path, language }: { path: string; language: string }): string {
  return `${language} ${path}`;
}
