import { useTranslation } from 'react-i18next';
import { readDetail } from './detail-words.ts';

export function useDetailWords(): (text: string) => string {
  const { t } = useTranslation('catalog');
  return (text) => {
    const detail = readDetail(text);
    return detail ? t(`detail.${detail.words}`, detail.slots) : text;
  };
}
