import { ActionIcon, Box, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconFilterOff, IconKeyboard, IconListLetters, IconUpload } from '@tabler/icons-react';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyUndoable } from '../../shell/notify.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { shortcuts } from '../../shell/palette/open.ts';
import { EmptyState } from '../../shell/states.tsx';
import { CellDetails } from './cell-details.tsx';
import { ConflictsDialog } from './conflicts-dialog.tsx';
import { ExportMenu } from './export-menu.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ListDialog } from './list-dialog.tsx';
import { PhoneList } from './phone-list.tsx';
import { progressOf } from './progress.ts';
import { PublishTexts } from './publish-texts.tsx';
import { SaveState } from './save-state.tsx';
import type { Sheet } from './sheet.ts';
import type { SheetState } from './sheet-state.ts';
import { defaultTag, type Language } from './text-row.ts';
import { type ActiveCell, type GridAct, TextsGrid } from './texts-grid.tsx';
import { Toolbar } from './toolbar.tsx';
import { useFilter } from './use-filter.ts';
import { useReview } from './use-review.ts';
import classes from './workbench.module.css';

type Props = {
  clientId: string;
  languages: readonly Language[];
  sheet: Sheet;
  state: SheetState;
  isComplete: boolean;
  reload: () => Promise<unknown>;
  isReadOnly: boolean;
  isPhone: boolean;
};

/** Everything around the texts: search, save, import and export. */
export function Workbench(props: Props) {
  const { clientId, languages, sheet, state, isReadOnly, isPhone } = props;
  const { t } = useTranslation(['translations', 'palette']);
  const filter = useFilter(clientId, languages, state);
  const { setOnly, show, shown } = filter;
  const searchBox = useRef<HTMLInputElement>(null);
  const [active, setActive] = useState<ActiveCell>();
  const [conflicts, conflictsDialog] = useDisclosure();
  const [importing, importDialog] = useDisclosure();
  const [listing, listDialog] = useDisclosure();
  // Typing need not wait for the counts.
  const counted = useDeferredValue(state);
  const progress = useMemo(() => progressOf(languages, counted.rows, counted.filled), [languages, counted]);
  const from = defaultTag(languages);
  const review = useReview(clientId, sheet, languages);
  const onReviewAll = useCallback((tag: string) => review(filter.ids.map((id) => ({ id, tag }))), [review, filter.ids]);
  const latestProgress = useRef(progress);
  latestProgress.current = progress;
  const getProgress = useCallback(() => latestProgress.current, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when rows were reloaded
  const groups = useMemo(
    () => state.rows.filter(({ kind }) => kind === 'group').map(({ group, name }) => ({ value: group, label: name })),
    [state.loads],
  );
  const onAct = useCallback((act: GridAct) => notifyOfAct(act, t, () => sheet.undo()), [t, sheet]);
  const step = useCallback(
    (act: 'undo' | 'redo') => {
      const changes = act === 'undo' ? sheet.undo() : sheet.redo();
      if (changes) onAct({ act, changed: changes.length });
    },
    [sheet, onAct],
  );

  // Undo ends with the room.
  useEffect(() => () => void notifications.hide(lastNotification), []);

  const onHide = useCallback(
    (hidden: string) => show(shown.filter(({ tag }) => tag !== hidden).map(({ tag }) => tag)),
    [show, shown],
  );

  const saveState = (
    <SaveState
      clientId={clientId}
      state={state}
      onRetry={() => sheet.saveNow()}
      onConflicts={conflictsDialog.open}
      onRefused={() => filter.setAttention(true)}
    />
  );
  return (
    <Stack gap="sm" className={isPhone ? undefined : classes.page}>
      <PageHeader
        title={t('title')}
        description={isReadOnly ? t('readOnly') : undefined}
        actions={
          <>
            {isPhone && filter.ids.length === 0 && saveState}
            {!isReadOnly && (
              <Tool name={t('toolbar.import')} icon={IconUpload} isPhone={isPhone} onClick={importDialog.open} />
            )}
            {!isReadOnly && [...progress.values()].some(({ missing }) => missing > 0) && (
              <Tool name={t('list.action')} icon={IconListLetters} isPhone={isPhone} onClick={listDialog.open} />
            )}
            <ExportMenu clientId={clientId} languages={languages} shown={shown} isPhone={isPhone} />
            {!isReadOnly && (
              <PublishTexts clientId={clientId} sheet={sheet} unsaved={state.unsaved} loads={state.loads} />
            )}
            {!isPhone && (
              <Tooltip label={t('palette:shortcuts.title')}>
                <ActionIcon
                  variant="default"
                  size={36}
                  aria-label={t('palette:shortcuts.title')}
                  onClick={showShortcuts}
                >
                  <IconKeyboard size={18} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </>
        }
      />
      <Toolbar
        languages={languages}
        groups={groups}
        getProgress={getProgress}
        filter={filter}
        canUndo={state.undoable !== undefined}
        canRedo={state.redoable !== undefined}
        isReadOnly={isReadOnly}
        isPhone={isPhone}
        searchBox={searchBox}
        onStep={step}
      />
      {filter.ids.length === 0 ? (
        <EmptyState
          icon={IconFilterOff}
          title={filter.filter.only ? t(`noMatch.${filter.filter.only.issue}`) : t('noMatch.title')}
          action={<Button onClick={filter.clear}>{t('noMatch.clear')}</Button>}
        >
          {t('noMatch.text')}
        </EmptyState>
      ) : isPhone ? (
        <PhoneList
          sheet={sheet}
          state={state}
          filter={filter}
          languages={languages}
          progress={progress}
          isReadOnly={isReadOnly}
          saveState={saveState}
          onReview={review}
        />
      ) : (
        <TextsGrid
          sheet={sheet}
          ids={filter.ids}
          languages={shown}
          progress={progress}
          isReadOnly={isReadOnly}
          isFiltered={filter.isFiltered}
          only={filter.filter.only}
          from={from}
          onAct={onAct}
          onActive={setActive}
          onShortcuts={showShortcuts}
          onSearch={() => searchBox.current?.focus()}
          onOnly={setOnly}
          onReview={review}
          onReviewAll={isReadOnly ? undefined : onReviewAll}
          onHide={onHide}
        />
      )}
      {!isPhone && (
        <Group className={classes.details} justify="space-between" gap="md" wrap="nowrap">
          <CellDetails
            sheet={sheet}
            active={active}
            languages={languages}
            isReadOnly={isReadOnly}
            onConflicts={conflictsDialog.open}
            onReview={review}
          />
          {saveState}
        </Group>
      )}
      {!props.isComplete && (
        <Box role="status">
          <Text size="xs" c="dimmed">
            {t('loadingRest')}
          </Text>
        </Box>
      )}
      <ConflictsDialog
        opened={conflicts && state.conflicts.length > 0}
        onClose={conflictsDialog.close}
        conflicts={state.conflicts}
        languages={languages}
        sheet={sheet}
      />
      <ListDialog opened={listing} sheet={sheet} languages={languages} onAct={onAct} onClose={listDialog.close} />
      <ImportDialog
        opened={importing}
        onClose={importDialog.close}
        clientId={clientId}
        languages={languages}
        sheet={sheet}
        reload={props.reload}
      />
    </Stack>
  );
}

const showShortcuts = () => shortcuts.set(true);

/** The notification of the last step: only that step can be undone from it. */
let lastNotification = '';

/** Reports what a paste or an undo did, with an undo. */
function notifyOfAct(
  act: GridAct,
  t: ReturnType<typeof useTranslation<'translations'>>['t'],
  undo: () => unknown,
): void {
  const canUndo = act.act !== 'undo' && act.act !== 'redo' && act.changed > 0;
  const more =
    act.act === 'paste'
      ? [
          ...(act.empty > 0 ? [t('toast.empty', { count: act.empty })] : []),
          ...(act.outside > 0 ? [t('toast.outside', { count: act.outside })] : []),
        ]
      : [];
  notifications.hide(lastNotification);
  const done = t(`toast.${act.act}`, { count: act.changed });
  const content = more.length > 0 ? { title: done, message: more.join(' ') } : { message: done };
  lastNotification = canUndo
    ? notifyUndoable({ ...content, undo })
    : notifications.show({ ...content, autoClose: 3_000 });
}

type ToolProps = { name: string; icon: typeof IconUpload; isPhone: boolean; onClick: () => void };

/** On a phone there is only room for its icon. */
function Tool({ name, icon: Icon, isPhone, onClick }: ToolProps) {
  if (isPhone) {
    return (
      <ActionIcon variant="default" size={36} aria-label={name} onClick={onClick}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
    );
  }
  return (
    <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={onClick}>
      {name}
    </Button>
  );
}
