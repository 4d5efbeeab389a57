import { Chip, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** What most begin with; any other can be added by its tag. */
const OFFERED = ['en', 'de', 'es', 'fr', 'it', 'pt', 'nl', 'pl', 'hu', 'ja', 'zh', 'ar'];

type Props = {
  label: string;
  chosen: readonly string[];
  byDefault: string | undefined;
  onChange(tags: string[]): void;
};

/** Languages by their tags, one press each, in the order in which they are chosen. */
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

/** As the language calls itself, with a capital as names have it. */
export function ownName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.slice(0, 1).toLocaleUpperCase(tag) + name.slice(1);
}
