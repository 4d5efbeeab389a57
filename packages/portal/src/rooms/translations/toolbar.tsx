import {
  ActionIcon,
  Button,
  Checkbox,
  CloseButton,
  Group,
  Popover,
  Select,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp, IconColumns3, IconFilterX, IconSearch } from '@tabler/icons-react';
import { type RefObject, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Progress, percentOf } from './progress.ts';
import type { SheetState } from './sheet.ts';
import type { Language, TextRow } from './text-row.ts';
import type { FilterControl } from './use-filter.ts';
import classes from './workbench.module.css';

type Props = {
  languages: readonly Language[];
  rows: readonly TextRow[];
  progress: ReadonlyMap<string, Progress>;
  filter: FilterControl;
  state: SheetState;
  isReadOnly: boolean;
  isPhone: boolean;
  searchBox: RefObject<HTMLInputElement | null>;
  onUndo: () => void;
  onRedo: () => void;
};

export function Toolbar(props: Props) {
  const { languages, filter, state, isReadOnly, isPhone } = props;
  const { t } = useTranslation('translations');
  const { loads } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the rows only those that were loaded anew
  const groups = useMemo(
    () => props.rows.filter(({ kind }) => kind === 'group').map(({ group, name }) => ({ value: group, label: name })),
    [loads],
  );
  const translated = languages.filter(({ isDefault }) => !isDefault);
  return (
    <Group gap="xs" role="search">
      <TextInput
        ref={props.searchBox}
        className={classes.search}
        aria-label={t('toolbar.search')}
        placeholder={t('toolbar.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          filter.search !== '' && (
            <CloseButton size="sm" aria-label={t('toolbar.clearSearch')} onClick={() => filter.set({ search: '' })} />
          )
        }
        value={filter.search}
        onChange={(event) => filter.set({ search: event.currentTarget.value })}
      />
      <Select
        aria-label={t('toolbar.group')}
        placeholder={t('toolbar.allGroups')}
        data={groups}
        value={filter.filter.group ?? null}
        onChange={(group) => filter.set({ group: group ?? undefined })}
        searchable
        clearable
        className={classes.filter}
        limit={100}
        nothingFoundMessage={t('toolbar.noGroup')}
      />
      <Select
        aria-label={t('toolbar.which')}
        placeholder={t('toolbar.allTexts')}
        data={[
          ...(translated.length > 1 ? [{ value: 'any', label: t('toolbar.missingAny') }] : []),
          ...translated.map(({ tag, name }) => ({ value: tag, label: t('toolbar.missingIn', { name }) })),
        ]}
        value={filter.filter.missing ?? null}
        onChange={(missing) => filter.set({ missing: missing ?? undefined })}
        clearable
        className={classes.filter}
      />
      {!isPhone && <LanguagePicker languages={languages} progress={props.progress} filter={filter} />}
      {filter.isFiltered && (
        <Group gap={4}>
          <Text size="sm" c="dimmed" role="status">
            {t('toolbar.shown', { count: filter.paths.length })}
          </Text>
          <Tooltip label={t('noMatch.clear')}>
            <ActionIcon variant="subtle" color="gray" aria-label={t('noMatch.clear')} onClick={filter.clear}>
              <IconFilterX size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      )}
      <Group gap="xs" ms={isPhone ? 0 : 'auto'}>
        {!isReadOnly && (
          <ActionIcon.Group>
            <StepButton label={t('undo')} isOff={!state.undoable} icon={IconArrowBackUp} onClick={props.onUndo} />
            <StepButton label={t('redo')} isOff={!state.redoable} icon={IconArrowForwardUp} onClick={props.onRedo} />
          </ActionIcon.Group>
        )}
      </Group>
    </Group>
  );
}

function StepButton(props: { label: string; isOff: boolean; icon: typeof IconArrowBackUp; onClick: () => void }) {
  const { label, isOff, icon: Icon, onClick } = props;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={36} disabled={isOff} aria-label={label} onClick={onClick}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function LanguagePicker(props: {
  languages: readonly Language[];
  progress: ReadonlyMap<string, Progress>;
  filter: FilterControl;
}) {
  const { languages, progress, filter } = props;
  const { t } = useTranslation('translations');
  return (
    <Popover position="bottom-start" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          {filter.shown.length === languages.length
            ? t('toolbar.languages')
            : t('toolbar.someLanguages', { shown: filter.shown.length, all: languages.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group
          label={t('toolbar.shownLanguages')}
          value={filter.shown.map(({ tag }) => tag)}
          onChange={filter.show}
        >
          <Stack gap={8} mt="xs" mah={320} style={{ overflowY: 'auto' }}>
            {languages.map(({ tag, name, isDefault }) => (
              <Checkbox
                key={tag}
                value={tag}
                label={`${name} · ${isDefault ? t('grid.default') : `${percentOf(progress.get(tag) ?? { total: 0, missing: 0 })} %`}`}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Button variant="subtle" size="compact-sm" mt="sm" onClick={() => filter.show(languages.map(({ tag }) => tag))}>
          {t('toolbar.showAll')}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
