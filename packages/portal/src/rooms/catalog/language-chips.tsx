import '@mantine/core/styles/Chip.css';
import { Chip, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** The most common ones; any other can be added by its tag. */
const OFFERED = ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'pl', 'hu', 'ja', 'zh', 'ar'];

type Props = {
  label: string;
  chosen: readonly string[];
  byDefault: string | undefined;
  onChange(tags: string[]): void;
};

/** Languages by tag, one click each, in the order they are chosen. */
export function LanguageChips({ label, chosen, byDefault, onChange }: Props) {
  const { t } = useTranslation('catalog');
  return (
    <Chip.Group multiple value={[...chosen]} onChange={onChange}>
      <Group gap={6} role="group" aria-label={label}>
        {OFFERED.map((tag) => (
          <Chip key={tag} value={tag} size="sm" variant="outline">
            <span lang={tag}>{ownName(tag)}</span>
            {tag === byDefault && ` (${t('languages.isDefault')})`}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}

/** The language's name in itself, capitalized. */
export function ownName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.slice(0, 1).toLocaleUpperCase(tag) + name.slice(1);
}
