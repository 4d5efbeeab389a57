'use client';

import { type AnyCatalog, type GroupName, type Language, type OptionKey, selectionOf } from '@innkeeper/client';
import { useCallback, useId, useMemo, useState } from 'react';
import { DEFAULT_PARTS } from './default-parts.tsx';
import { useOptionGroups, useOptionKeys, useSelections } from './hooks.ts';
import { OptionField } from './option-field.tsx';
import type { Parts } from './parts.ts';
import { useInnkeeper, useLanguage } from './provider.tsx';

export type OptionsFormProps<C extends AnyCatalog = AnyCatalog> = {
  group: GroupName<C>;
  language?: Language<C> | undefined;
  /** Instead of the label of the group; null for none. */
  title?: string | null | undefined;
  /** Instead of parts of this form. */
  parts?: Partial<Parts> | undefined;
  className?: string | undefined;
};

/** All keys of a group, each with the control for its type; what is chosen is saved at once. */
export function OptionsForm<C extends AnyCatalog = AnyCatalog>(props: OptionsFormProps<C>) {
  const { group, title, className } = props;
  const { language, lang, dir, texts } = useLanguage(props.language);
  const { parts: usual } = useInnkeeper();
  const parts = useMemo<Parts>(() => ({ ...DEFAULT_PARTS, ...usual, ...props.parts }), [usual, props.parts]);
  const groups = useOptionGroups({ language });
  const keys = useOptionKeys({ group, language });
  const selections = useSelections({ group, language });
  const [dirty, setDirty] = useState<readonly OptionKey[]>([]);
  const titleId = useId();

  const onDirty = useCallback((key: OptionKey, isDirty: boolean) => {
    setDirty((now) => {
      const others = now.filter(({ option_key_uid }) => option_key_uid !== key.option_key_uid);
      return isDirty ? [...others, key] : others.length === now.length ? now : others;
    });
  }, []);

  const label = title === undefined ? groups.data?.find(({ name }) => name === group)?.label : title;
  const frame = { title: label, titleId, lang, dir, className };
  const offered = useLatest(keys.data, group);
  const held = useLatest(selections.data, group);
  // What is only not as fresh as it could be is no failure.
  const error = (keys.data ? null : keys.error) ?? (selections.data ? null : selections.error);
  const retry = () => {
    for (const query of [groups, keys, selections]) if (query.isError) void query.refetch();
  };
  if (!offered || !held) {
    return (
      <parts.Form {...frame}>
        {error ? <parts.Failure error={error} texts={texts} retry={retry} /> : <parts.Loading texts={texts} />}
      </parts.Form>
    );
  }

  // A key that was archived meanwhile stays for as long as there is something in it that nobody has saved.
  const gone = dirty.filter(
    (key) => key.option_group_name === group && !offered.some((each) => each.option_key_uid === key.option_key_uid),
  );
  const shown = [...offered, ...gone];
  return (
    <parts.Form {...frame}>
      {error && <parts.Failure error={error} texts={texts} retry={retry} />}
      {shown.length === 0 && <parts.Empty texts={texts} />}
      {shown.map((key) => (
        <OptionField
          key={key.option_key_uid}
          optionKey={key}
          held={selectionOf(key, held)?.option.value ?? undefined}
          parts={parts}
          texts={texts}
          onDirty={onDirty}
        />
      ))}
    </parts.Form>
  );
}

/** What was there last of this group: what cannot be read in another language leaves the form as it is. */
function useLatest<T>(value: T | undefined, group: string): T | undefined {
  const [latest, setLatest] = useState({ value, group });
  if (value !== undefined && (value !== latest.value || group !== latest.group)) setLatest({ value, group });
  return value ?? (group === latest.group ? latest.value : undefined);
}
