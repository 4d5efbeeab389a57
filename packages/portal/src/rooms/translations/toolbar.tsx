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
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBaselineDensityMedium,
  IconColumns3,
  IconFilterX,
  IconSearch,
} from '@tabler/icons-react';
import { memo, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { useTyped } from '../../shell/use-typed.ts';
import { NO_PROGRESS, type Progress, percentOf } from './progress.ts';
import { TEXT_ISSUES } from './search.ts';
import type { Language, TextIssue } from './text-row.ts';
import type { FilterControl } from './use-filter.ts';
import { useDensity } from './use-grid-layout.ts';
import classes from './workbench.module.css';

type Props = {
  languages: readonly Language[];
  groups: readonly { value: string; label: string }[];
  /** Computed when shown: it changes with every text. */
  getProgress: () => ReadonlyMap<string, Progress>;
  filter: FilterControl;
  canUndo: boolean;
  canRedo: boolean;
  isReadOnly: boolean;
  isPhone: boolean;
  searchBox: RefObject<HTMLInputElement | null>;
  onStep: (act: 'undo' | 'redo') => void;
};

/** Renders again only if something in it changes, not with every text. */
export const Toolbar = memo(function Toolbar(props: Props) {
  const { languages, filter, isReadOnly, isPhone } = props;
  const { t } = useTranslation('translations');
  const { only } = filter.filter;
  const [typed, setTyped] = useTyped(filter.search, props.searchBox);
  const search = (text: string) => {
    setTyped(text);
    filter.set({ search: text });
  };
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
          typed !== '' && <CloseButton size="sm" aria-label={t('toolbar.clearSearch')} onClick={() => search('')} />
        }
        value={typed}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={(event) => {
          // From the search field to the results.
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          document.querySelector<HTMLElement>('[role=gridcell][tabindex="0"]')?.focus();
        }}
      />
      <Select
        aria-label={t('toolbar.group')}
        placeholder={t('toolbar.allGroups')}
        data={props.groups}
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
        data={TEXT_ISSUES.map((issue) => ({
          group: t(`toolbar.${issue}`),
          items: [
            ...(translated.length > 1 ? [{ value: `${issue} any`, label: t(`toolbar.${issue}Any`) }] : []),
            ...translated.map(({ tag, name }) => ({
              value: `${issue} ${tag}`,
              label: t(`toolbar.${issue}In`, { name }),
            })),
          ],
        }))}
        value={only ? `${only.issue} ${only.tag}` : null}
        onChange={(chosen) => {
          const [issue, tag] = chosen?.split(' ') ?? [];
          filter.setOnly(issue === undefined || tag === undefined ? undefined : { issue: issue as TextIssue, tag });
        }}
        maxDropdownHeight={360}
        clearable
        className={classes.which}
      />
      {!isPhone && <LanguagePicker languages={languages} getProgress={props.getProgress} filter={filter} />}
      {filter.isFiltered && (
        <Group gap={4}>
          <Text size="sm" c="dimmed" role="status">
            {t('toolbar.shown', { count: filter.ids.length })}
          </Text>
          <Tooltip label={t('noMatch.clear')}>
            <ActionIcon variant="subtle" color="gray" aria-label={t('noMatch.clear')} onClick={filter.clear}>
              <IconFilterX size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      )}
      <Group gap="xs" ms={isPhone ? 0 : 'auto'}>
        {!isPhone && <DensityButton />}
        {!isReadOnly && (
          <ActionIcon.Group>
            <StepButton
              label={t('undo')}
              isOff={!props.canUndo}
              icon={IconArrowBackUp}
              onClick={() => props.onStep('undo')}
            />
            <StepButton
              label={t('redo')}
              isOff={!props.canRedo}
              icon={IconArrowForwardUp}
              onClick={() => props.onStep('redo')}
            />
          </ActionIcon.Group>
        )}
      </Group>
    </Group>
  );
});

function DensityButton() {
  const { t } = useTranslation('translations');
  const [density, setDensity] = useDensity();
  const isTall = density === 'comfortable';
  return (
    <Tooltip label={t('toolbar.tallRows')}>
      <ActionIcon
        variant={isTall ? 'light' : 'default'}
        size={36}
        aria-label={t('toolbar.tallRows')}
        aria-pressed={isTall}
        onClick={() => setDensity(isTall ? 'compact' : 'comfortable')}
      >
        <IconBaselineDensityMedium size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
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
  getProgress: () => ReadonlyMap<string, Progress>;
  filter: FilterControl;
}) {
  const { languages, getProgress, filter } = props;
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
        <PickedLanguages languages={languages} progress={getProgress()} filter={filter} />
      </Popover.Dropdown>
    </Popover>
  );
}

function PickedLanguages(props: {
  languages: readonly Language[];
  progress: ReadonlyMap<string, Progress>;
  filter: FilterControl;
}) {
  const { languages, progress, filter } = props;
  const { t } = useTranslation('translations');
  return (
    <>
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
              label={`${name} · ${isDefault ? t('grid.default') : `${percentOf(progress.get(tag) ?? NO_PROGRESS)} %`}`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Button variant="subtle" size="compact-sm" mt="sm" onClick={() => filter.show(languages.map(({ tag }) => tag))}>
        {t('toolbar.showAll')}
      </Button>
    </>
  );
}
