import { Alert, List } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { insteadOf } from '../rooms/catalog/texts.ts';
import { LinkAnchor } from '../shell/links.tsx';
import { treeQuery } from './queries.ts';

type Props = {
  clientId: string;
  missing: readonly { language: string; missing: number }[];
  /** Called before the link is followed; without it there is no link: translators are already there. */
  onTranslate: (() => void) | undefined;
};

/** Languages with missing texts, and the language that users see until then. */
export function MissingTexts({ clientId, missing, onTranslate }: Props) {
  const { t, i18n } = useTranslation('catalog');
  const languages = useQuery(treeQuery(clientId)).data?.tree.languages ?? [];
  const incomplete = missing.filter((each) => each.missing > 0);
  if (incomplete.length === 0) return null;
  const fallbackOf = (name: string) => {
    const language = languages.find((each) => each.name === name);
    if (!language) return '';
    const instead = insteadOf(language, languages).map((each) => isolated(each.name));
    const either = new Intl.ListFormat(i18n.language, { type: 'disjunction' }).format(instead);
    return ` – ${t('publish.readInstead', { language: either })}`;
  };
  return (
    <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />} title={t('publish.missing')}>
      <List size="sm">
        {incomplete.map(({ language, missing: count }) => (
          <List.Item key={language}>
            {t('publish.missingIn', { language: isolated(language), count })}
            {fallbackOf(language)}
          </List.Item>
        ))}
      </List>
      {onTranslate && (
        <LinkAnchor
          to="/applications/$clientId/translations"
          params={{ clientId }}
          search={{ missing: 'any' }}
          size="sm"
          underline="always"
          onClick={onTranslate}
        >
          {t('publish.translateFirst')}
        </LinkAnchor>
      )}
    </Alert>
  );
}

/** A name in another script must not reorder the text around it (Unicode isolates). */
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
