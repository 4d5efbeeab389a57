import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CONSTRAINTS, type FileKey, formOf } from '../rooms/catalog/key-form.ts';
import { isList, kindOf } from '../rooms/catalog/kinds.ts';
import { defaultOf, labelIn } from '../rooms/catalog/texts.ts';
import { type TreeLanguage, treeQuery } from './queries.ts';

/** More would hide the rest. */
const SHOWN = 6;

/** A key in one line, in the catalog room's terms: `Whole number from 0 to 4; default: 2`. */
export function useDescribeKey(): (key: FileKey, languages: readonly TreeLanguage[]) => string {
  const { t } = useTranslation('catalog');
  const { t: shell } = useTranslation();
  return (key, languages) => {
    const form = formOf(key);
    const kind = kindOf(form);
    const texts = form.values.map(({ value, texts: translations }) => {
      const name = kind === 'boolean' ? shell(value === 'true' ? 'yes' : 'no') : value;
      return [value, labelIn({ name, translations }, defaultOf(languages), languages)] as const;
    });
    const { min, max } = form.constraint;
    const limits = min !== '' && max !== '' ? 'between' : min !== '' ? 'from' : max !== '' ? 'upTo' : undefined;
    const others = CONSTRAINTS[form.type].filter((name) => name !== 'min' && name !== 'max' && form.constraint[name]);
    const listed = form.listed && kind !== 'boolean' ? texts.map(([, text]) => text) : [];
    const byDefault = form.byDefault.map((value) => new Map(texts).get(value) ?? value).join(', ');
    return [
      limits ? t(`words.${limits}`, { kind: t(`type.${kind}`), min, max }) : t(`type.${kind}`),
      form.multiple && !isList(kind) && t('key.multiple'),
      listed.slice(0, SHOWN).join(', ') + (listed.length > SHOWN ? ', …' : ''),
      ...others.map((name) => `${t(`constraint.${name}`)}: ${form.constraint[name]}`),
      byDefault !== '' && t('words.default', { value: byDefault }),
    ]
      .filter(Boolean)
      .join('; ');
  };
}

/** The same for a key of the draft, by its path. */
export function useKeyWords(clientId: string): (path: string) => string | undefined {
  const describe = useDescribeKey();
  const { data } = useQuery(treeQuery(clientId));
  return (path) => {
    if (!data) return undefined;
    const [groupName, keyName] = path.split('/').map(decodeURIComponent);
    const group = data.tree.groups.find(({ name, archived }) => name === groupName && !archived);
    const key = group?.keys.find(({ name, archived }) => name === keyName && !archived);
    return key && describe(key, data.tree.languages);
  };
}
