import { queryOptions } from '@tanstack/react-query';
import type { i18n as Translations } from 'i18next';
import { api } from './client.ts';

/** Names from the published catalog, including archived items, for readers of the portal in one of its languages. */
export type CatalogNames = {
  groups: readonly NamedGroup[];
  /** undefined: no longer in the catalog. */
  key(keyUid: string | null): NamedKey | undefined;
};

type NamedGroup = {
  groupUid: string;
  name: string;
  label: string;
  archived: boolean;
  keys: readonly NamedKey[];
};

export type NamedKey = {
  keyUid: string;
  groupUid: string;
  name: string;
  label: string;
  groupName: string;
  groupLabel: string;
  archived: boolean;
  type: string;
  multiple: boolean;
  /** Current and former values; none for an open key. */
  values: readonly { value: Scalar; label: string; retired: boolean }[];
  showValue(value: unknown): string;
};

type Scalar = string | number | boolean;
type Texts = Record<string, string>;
type Value = Scalar | { value: Scalar; translations?: Texts; retired?: boolean };

export function catalogTreeQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'catalog', 'published-tree'],
    queryFn: async ({ signal }) =>
      (await api.get('/manage/v1/applications/{clientId}/catalog/tree', { path: { clientId }, signal })).data,
  });
}

type Tree = Awaited<ReturnType<NonNullable<ReturnType<typeof catalogTreeQuery>['queryFn']>>>;

/**
 * Texts in the reader's language if the catalog has it, else in the catalog's default language, else names. Yes and no
 * are in the reader's language.
 */
export function nameCatalog(
  tree: Tree,
  { language: readerLanguage, t }: Pick<Translations, 'language' | 't'>,
): CatalogNames {
  const { languages } = tree;
  const own = languages.find(({ tag }) => tag.split('-')[0] === readerLanguage);
  const byDefault = languages.find((language) => language.default) ?? languages[0];
  const textOf = (texts: unknown, name: string): string => {
    const all = (texts ?? {}) as Texts;
    return (own && all[own.name]) ?? (byDefault && all[byDefault.name]) ?? name;
  };
  const plain = (value: unknown): string =>
    typeof value === 'boolean' ? t(value ? 'yes' : 'no', { ns: 'shell' }) : String(value);
  const keys = new Map<string, NamedKey>();
  const groups = tree.groups.map((group): NamedGroup => {
    const groupLabel = textOf(group.translations, group.name);
    const named = group.keys.map((key): NamedKey => {
      const offered = ((key.values ?? (key.type === 'boolean' ? [true, false] : [])) as Value[]).map((each) =>
        typeof each === 'object'
          ? {
              value: each.value,
              label: textOf(each.translations, plain(each.value)),
              retired: each.retired === true,
            }
          : { value: each, label: plain(each), retired: false },
      );
      const labels = new Map(offered.map(({ value, label }) => [value, label]));
      const showOne = (value: unknown): string => labels.get(value as Scalar) ?? plain(value);
      const made: NamedKey = {
        keyUid: key.keyUid,
        groupUid: group.groupUid,
        name: key.name,
        label: textOf(key.translations, key.name),
        groupName: group.name,
        groupLabel,
        archived: key.archived || group.archived,
        type: key.type,
        multiple: key.multiple === true,
        values: offered,
        showValue: (value) => (Array.isArray(value) ? value.map(showOne).join(', ') : showOne(value)),
      };
      keys.set(key.keyUid, made);
      return made;
    });
    return { groupUid: group.groupUid, name: group.name, label: groupLabel, archived: group.archived, keys: named };
  });
  return { groups, key: (keyUid) => (keyUid === null ? undefined : keys.get(keyUid)) };
}
