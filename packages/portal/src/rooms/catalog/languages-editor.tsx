import {
  ActionIcon,
  Alert,
  Autocomplete,
  Button,
  Code,
  Group,
  Paper,
  Radio,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
  Tooltip,
} from '@mantine/core';
import { IconAlertTriangle, IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { notifyDraft } from '../../draft/notify-draft.ts';
import type { Tree, TreeLanguage } from '../../draft/queries.ts';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { useProblemInSight } from '../../shell/use-problem-in-sight.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { editsOf } from './edits.ts';
import { isBlank } from './form-problems.ts';
import { LanguageChips, ownName } from './language-chips.tsx';
import { mergeLanguages } from './merge.ts';
import { SaveBar } from './save-bar.tsx';
import { defaultOf, directionOf } from './texts.ts';
import { useEditor } from './use-editor.ts';

/** Suggested while typing; any other BCP 47 tag can be typed. */
const COMMON =
  'ar bg bn ca cs da de de-AT el en en-GB en-US es es-MX et eu fa fi fr fr-CA gl he hi hr hu id is it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv th tr uk ur vi zh-Hans zh-Hant'.split(
    ' ',
  );

type Props = { clientId: string; tree: Tree; mayEdit: boolean; isFirst?: boolean };

/** The languages of the application, in order, one of them the default. */
export function LanguagesEditor({ clientId, tree, mayEdit, isFirst = false }: Props) {
  const { t } = useTranslation('catalog');
  const editor = useEditor<readonly TreeLanguage[], readonly TreeLanguage[], readonly TreeLanguage[]>({
    clientId,
    tree,
    item: tree.languages,
    toForm: (given) => given,
    toContent: (given) => given.map(toFile),
    find: (now) => now.languages,
    merge: mergeLanguages,
    edit: (_, after) => editsOf(clientId).setLanguages([...after]),
  });
  const { form: languages, setForm: setLanguages, isChanged } = editor;
  // A language being searched for, and whether someone tried to continue without it.
  const [sought, seek] = useState('');
  const [isForgotten, setForgotten] = useState(false);
  const removed = tree.languages.filter(({ tag }) => !languages.some((each) => each.tag === tag));

  const change = (tag: string, part: Partial<TreeLanguage>) =>
    setLanguages((held) => held.map((each) => (each.tag === tag ? { ...each, ...part } : each)));
  const setDefault = (tag: string) =>
    setLanguages((held) => held.map((each) => ({ ...each, default: each.tag === tag })));
  const move = (from: number, to: number) =>
    setLanguages((held) => {
      const others = held.filter((_, index) => index !== from);
      return [...others.slice(0, to), held[from] as TreeLanguage, ...others.slice(to)];
    });
  const whole = useRef<HTMLDivElement>(null);
  const showProblem = useProblemInSight(whole);
  /** Existing languages stay as they are; the first is the default if none is chosen. */
  const choose = (tags: readonly string[]) =>
    setLanguages((held) => {
      const chosen = tags.map((tag) => held.find((each) => each.tag === tag) ?? { tag, name: ownName(tag) });
      return chosen.some((each) => each.default)
        ? chosen
        : chosen.map((each, index) => (index === 0 ? { ...each, default: true } : each));
    });
  const submit = async (force = false) => {
    setForgotten(!isBlank(sought));
    const isWrong = !isBlank(sought) || languages.some(({ name }) => isBlank(name));
    if (isWrong || !(await editor.submit(force))) return showProblem();
    notifyDraft(t('saved', { what: t('languages.title') }));
  };

  return (
    <Stack gap="lg" ref={whole}>
      <div>
        <Title order={2} size="h3">
          {t(isFirst ? 'first.languages' : 'languages.title')}
        </Title>
        <Text c="dimmed">{t(isFirst ? 'first.languagesText' : 'languages.text')}</Text>
      </div>
      {mayEdit && isFirst && (
        <LanguageChips
          label={t('languages.title')}
          chosen={languages.map(({ tag }) => tag)}
          byDefault={defaultOf(languages)?.tag}
          onChange={choose}
        />
      )}
      {languages.length > 0 && (
        <Paper withBorder>
          <Table.ScrollContainer minWidth={300} type="native">
            <Table verticalSpacing="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('languages.name')}</Table.Th>
                  <Table.Th style={{ whiteSpace: 'nowrap' }}>{t('languages.default')}</Table.Th>
                  {mayEdit && <Table.Th>{t('languages.actions')}</Table.Th>}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {languages.map((language, index) => (
                  <Table.Tr key={language.tag}>
                    <Table.Td miw={130}>
                      <TextInput
                        size="sm"
                        aria-label={`${t('languages.name')} ${language.tag}`}
                        rightSection={<Code>{language.tag}</Code>}
                        rightSectionWidth="auto"
                        rightSectionProps={{ style: { paddingInlineEnd: 8 } }}
                        lang={language.tag}
                        dir={directionOf(language.tag)}
                        maxLength={255}
                        disabled={!mayEdit}
                        error={isBlank(language.name) && t('nameBlank')}
                        value={language.name}
                        onChange={(event) => change(language.tag, { name: event.currentTarget.value })}
                      />
                    </Table.Td>
                    <Table.Td>
                      <Radio
                        name="default-language"
                        aria-label={t('languages.makeDefault', { language: language.name })}
                        disabled={!mayEdit}
                        checked={language.tag === defaultOf(languages)?.tag}
                        onChange={() => setDefault(language.tag)}
                      />
                    </Table.Td>
                    {mayEdit && (
                      <Table.Td>
                        <Group gap={0} wrap="nowrap">
                          {act(`${t('moveUp')}: ${language.name}`, IconArrowUp, index === 0, () =>
                            move(index, index - 1),
                          )}
                          {act(
                            `${t('moveDown')}: ${language.name}`,
                            IconArrowDown,
                            index === languages.length - 1,
                            () => move(index, index + 1),
                          )}
                          {act(`${t('languages.remove')}: ${language.name}`, IconTrash, languages.length === 1, () =>
                            setLanguages((held) => held.filter((each) => each.tag !== language.tag)),
                          )}
                        </Group>
                      </Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
      {mayEdit && (
        <AddLanguage
          taken={languages}
          typed={sought}
          setTyped={seek}
          isForgotten={isForgotten}
          onAdd={(language) =>
            setLanguages((held) => [...held, { ...language, ...(held.length === 0 && { default: true }) }])
          }
        />
      )}
      {removed.length > 0 && (
        <Alert variant="default" icon={<IconAlertTriangle color="var(--mantine-color-yellow-7)" aria-hidden />}>
          {t('languages.removed', { names: removed.map(({ name }) => name).join(', ') })}
        </Alert>
      )}
      <Problem error={editor.error} />
      {mayEdit && (
        <SaveBar
          isChanged={isChanged}
          isPending={editor.isPending}
          onSave={() => void submit()}
          {...(isFirst ? { label: t('first.continue') } : { onReset: editor.reset })}
        />
      )}
      <ConflictDialog {...editor.conflict} onKeepMine={() => void submit(true)} />
    </Stack>
  );
}

function act(label: string, Icon: typeof IconTrash, disabled: boolean, onClick: () => void) {
  return (
    <Tooltip label={label} key={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={disabled} onClick={onClick}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

const toFile = ({ name, tag, default: isDefault }: TreeLanguage): TreeLanguage => ({
  name,
  tag,
  ...(isDefault && { default: true }),
});

/** By a name in the reader's own language, or by a tag; the service suggests the language's own name. */
function AddLanguage(props: {
  taken: readonly TreeLanguage[];
  typed: string;
  setTyped(word: string): void;
  isForgotten: boolean;
  onAdd(language: TreeLanguage): void;
}) {
  const { taken, typed, setTyped, isForgotten, onAdd } = props;
  const { t, i18n } = useTranslation('catalog');
  const names = new Intl.DisplayNames([i18n.language], { type: 'language' });
  const options = COMMON.filter((tag) => !taken.some((each) => each.tag === tag)).map((tag) => ({
    tag,
    label: `${names.of(tag)} (${tag})`,
  }));
  const add = useMutation({
    mutationFn: async (word: string) => {
      const tag = options.find(({ label }) => label === word)?.tag ?? word.trim();
      return (await api.get('/manage/v1/languages/suggestions', { query: { tag } })).data;
    },
    onSuccess: ({ tag, name }) => {
      if (!taken.some((each) => each.tag === tag)) onAdd({ name, tag });
      setTyped('');
    },
  });
  const addOnce = useMutateOnce(add);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') addOnce(typed);
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <Autocomplete
          label={t('languages.add')}
          placeholder={t('languages.addHint')}
          flex="1 1 14rem"
          maw={360}
          data={options.map(({ label }) => label)}
          value={typed}
          onChange={setTyped}
          onOptionSubmit={addOnce}
          error={add.error ? t('languages.unknown') : isForgotten && typed !== '' && t('languages.notAdded')}
        />
        <Button
          type="submit"
          variant="light"
          loading={add.isPending}
          disabled={typed.trim() === ''}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          {t('languages.addAction')}
        </Button>
      </Group>
    </form>
  );
}
