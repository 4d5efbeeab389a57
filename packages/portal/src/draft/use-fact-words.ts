import { useTranslation } from 'react-i18next';
import type { ConstraintName, FileKey } from '../rooms/catalog/key-form.ts';
import type { Fact, TreeKey } from './queries.ts';
import { useDescribeKey } from './use-key-words.ts';

/** Describes a change in the reader's language; falls back to the service's sentence. */
export function useFactWords(): (fact: Fact | undefined, sentence: string) => string {
  const { t } = useTranslation('catalog');
  const { t: shell } = useTranslation();
  const describeKey = useDescribeKey();

  const say = (value: unknown): string => {
    if (value === null || value === undefined) return t('key.noDefault');
    if (typeof value === 'boolean') return shell(value ? 'yes' : 'no');
    if (Array.isArray(value)) return value.map(say).join(', ');
    if (typeof value !== 'object') return JSON.stringify(value);
    const limits = Object.entries(value).map(
      ([name, limit]) => `${t(`constraint.${name as ConstraintName}`)} ${limit}`,
    );
    return limits.join(', ');
  };
  const list = ({ what, to, more = 0 }: Fact): string => {
    const items = (to as unknown[]).map(what === 'order' || what === 'orderOfKeys' ? String : say).join(', ');
    return more > 0 ? t('detail.andMore', { list: items, number: more }) : items;
  };

  return (fact, sentence) => {
    if (!fact) return sentence;
    const { what, value, language = '', from, to } = fact;
    switch (what) {
      case 'key':
        return describeKey({ name: '', ...(to as Omit<FileKey, 'name'>) }, []);
      case 'tag':
      case 'tagOfDefault':
        return t(`detail.${what}`, { tag: String(to) });
      case 'moreChanges':
        return t('detail.moreChanges', { count: fact.more ?? 0 });
      case 'name':
        return t('detail.name', { name: String(from) });
      case 'order':
      case 'orderOfKeys':
      case 'orderOfValues':
      case 'takesOnly':
        return t(`detail.${what}`, { list: list(fact) });
      case 'type':
        return t('detail.type', { from: t(`type.${from as TreeKey['type']}`), to: t(`type.${to as TreeKey['type']}`) });
      case 'group':
        return t('detail.group', { group: String(from) });
      case 'description':
        return t('detail.description', { language, from: say(from), to: say(to) });
      case 'text': {
        const texts = { language, from: say(from), to: say(to) };
        return value === undefined ? t('detail.text', texts) : t('detail.textOfValue', { ...texts, value: say(value) });
      }
      default:
        return t(`detail.${what}`, { value: say(value), from: say(from), to: say(to) });
    }
  };
}
