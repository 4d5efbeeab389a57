import {
  Box,
  Checkbox,
  Group,
  NumberInput,
  Paper,
  Radio,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TreeGroup, TreeKey, TreeLanguage } from '../../draft/queries.ts';
import { defaultOf, directionOf, labelIn } from './texts.ts';

/** The form that an end user would see, in any language of the application. Choices made in it are not saved. */

export function KeyPreview({ treeKey, languages }: { treeKey: TreeKey; languages: readonly TreeLanguage[] }) {
  return (
    <Frame languages={languages}>
      {(language) => <Field key={stableKey(treeKey)} treeKey={treeKey} language={language} languages={languages} />}
    </Frame>
  );
}

type Item = { uid: string; group: TreeGroup; key?: TreeKey };

/** With more fields, only the visible ones are rendered: a thousand took seconds. */
const AT_ONCE = 40;

export function GroupPreview({ groups, languages }: { groups: TreeGroup[]; languages: readonly TreeLanguage[] }) {
  const items = groups.flatMap((group): Item[] => [
    { uid: group.groupUid, group },
    ...group.keys.filter((key) => !key.archived).map((key) => ({ uid: key.keyUid, group, key })),
  ]);
  return (
    <Frame languages={languages}>
      {(language) => {
        const show = (item: Item) => <PreviewItem key={item.uid} {...{ item, language, languages }} />;
        return items.length <= AT_ONCE ? items.map(show) : <LongForm items={items} show={show} />;
      }}
    </Frame>
  );
}

function PreviewItem(props: { item: Item; language: TreeLanguage; languages: readonly TreeLanguage[] }) {
  const { item, language, languages } = props;
  const { t } = useTranslation('catalog');
  return (
    <Box pb="md">
      {item.key ? (
        <Field treeKey={item.key} language={language} languages={languages} />
      ) : (
        <>
          <Title order={4} size="h4" mt="md">
            {labelIn(item.group, language, languages)}
          </Title>
          {item.group.keys.length === 0 && <Text c="dimmed">{t('preview.noKeys')}</Text>}
        </>
      )}
    </Box>
  );
}

function LongForm({ items, show }: { items: readonly Item[]; show(item: Item): React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => 80,
    getItemKey: (index) => (items[index] as Item).uid,
    overscan: 6,
  });
  return (
    <Box ref={box} h="65vh" style={{ overflowY: 'auto' }} data-testid="long-form">
      <Box pos="relative" h={virtual.getTotalSize()}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <Box
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            pos="absolute"
            top={0}
            w="100%"
            style={{ transform: `translateY(${start}px)` }}
          >
            {show(items[index] as Item)}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

function Frame(props: { languages: readonly TreeLanguage[]; children(language: TreeLanguage): React.ReactNode }) {
  const { languages, children } = props;
  const { t } = useTranslation('catalog');
  const [tag, setTag] = useState<string>();
  const language = languages.find((each) => each.tag === tag) ?? defaultOf(languages);
  if (!language) return null;
  return (
    <Paper
      withBorder
      p="md"
      bg="var(--mantine-color-default-hover)"
      component="section"
      aria-label={t('preview.title')}
    >
      <Group justify="space-between" mb="sm">
        <Text size="sm" fw={600} c="dimmed">
          {t('preview.title')}
        </Text>
        <Select
          size="xs"
          w={170}
          allowDeselect={false}
          aria-label={t('preview.language')}
          data={languages.map(({ name, tag: value }) => ({ value, label: name }))}
          value={language.tag}
          onChange={(value) => value && setTag(value)}
        />
      </Group>
      <Paper p="md" dir={directionOf(language.tag)} lang={language.tag} data-testid="preview">
        {children(language)}
      </Paper>
    </Paper>
  );
}

type FieldProps = { treeKey: TreeKey; language: TreeLanguage; languages: readonly TreeLanguage[] };

/** Few values are shown directly, more in a list. */
const SHOWN_AT_ONCE = 5;

function Field({ treeKey, language, languages }: FieldProps) {
  const { t } = useTranslation('catalog');
  const label = labelIn(treeKey, language, languages);
  const byDefault = treeKey.default === undefined ? [] : [treeKey.default].flat().map(String);
  const options = (treeKey.values ?? []).flatMap((plain) => {
    const value = typeof plain === 'object' ? plain : { value: plain };
    if (value.retired) return [];
    const text = labelIn({ name: String(value.value), translations: value.translations }, language, languages);
    return [{ value: String(value.value), label: text }];
  });
  if (treeKey.type === 'boolean' && !treeKey.multiple && options.length === 0) {
    return <Switch label={label} defaultChecked={treeKey.default === true} />;
  }
  const unique = [...new Map(options.map((option) => [option.value, option])).values()];
  if (treeKey.values || treeKey.type === 'boolean') {
    const data = unique.length > 0 || treeKey.type !== 'boolean' ? unique : BOOLEANS;
    if (treeKey.multiple) {
      return (
        <Checkbox.Group label={label} defaultValue={byDefault} description={countHint(treeKey, t)}>
          <Stack gap={6} mt={6}>
            {data.map((option) => (
              <Checkbox key={option.value} value={option.value} label={option.label} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
    }
    if (data.length > SHOWN_AT_ONCE) return <Select label={label} data={data} defaultValue={byDefault[0] ?? null} />;
    return (
      <Radio.Group label={label} defaultValue={byDefault[0] ?? null}>
        <Stack gap={6} mt={6}>
          {data.map((option) => (
            <Radio key={option.value} value={option.value} label={option.label} />
          ))}
        </Stack>
      </Radio.Group>
    );
  }
  const { min, max, step, max_length: maxLength } = treeKey.constraint ?? {};
  if (treeKey.multiple) return <TagsInput label={label} defaultValue={byDefault} description={countHint(treeKey, t)} />;
  if (treeKey.type === 'integer' || treeKey.type === 'number') {
    return (
      <NumberInput
        label={label}
        maw={220}
        defaultValue={byDefault[0] === undefined ? '' : Number(byDefault[0])}
        allowDecimal={treeKey.type === 'number'}
        {...(typeof min === 'number' && { min })}
        {...(typeof max === 'number' && { max })}
        {...(step !== undefined && { step })}
      />
    );
  }
  return (
    <TextInput
      label={label}
      type={treeKey.type === 'date' ? 'date' : 'text'}
      maw={treeKey.type === 'date' ? 220 : undefined}
      defaultValue={byDefault[0] ?? ''}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      {...(maxLength !== undefined && { maxLength })}
    />
  );
}

const BOOLEANS = ['true', 'false'].map((value) => ({ value, label: value }));

/** Nothing if there is no limit. */
function countHint({ min = 0, max }: TreeKey, t: ReturnType<typeof useTranslation<'catalog'>>['t']) {
  if (max === undefined) return min > 0 ? t('preview.atLeast', { count: min }) : undefined;
  if (min === max) return t('preview.exactly', { count: min });
  return min > 0 ? t('preview.between', { min, max }) : t('preview.atMost', { count: max });
}

/** With another default or other values, the field is reset. */
function stableKey({ type, multiple, default: byDefault, values }: TreeKey): string {
  return JSON.stringify([type, multiple, byDefault, values?.length]);
}
