import { useMediaQuery } from '@mantine/hooks';
import { IconLanguage } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan, useOwnLanguages } from '../../api/access.ts';
import { LinkButton } from '../../shell/links.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import { languagesQuery } from './languages-query.ts';
import type { Language } from './text-row.ts';
import { useSheet } from './use-sheet.ts';
import { Workbench } from './workbench.tsx';

export function TranslationsPage() {
  const { t } = useTranslation('translations');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/translations' });
  const can = useCan(clientId);
  const { sheet, state, query } = useSheet(clientId);
  const own = useOwnLanguages(clientId);
  const { data: all } = useSuspenseQuery(languagesQuery(clientId));
  const languages = useMemo(() => languagesFor(all, own), [all, own]);
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });

  if (languages.length === 0) {
    return (
      <>
        <PageHeader title={t('title')} />
        <NoTexts clientId={clientId} />
      </>
    );
  }
  if (state.rows.length === 0) {
    return (
      <>
        <PageHeader title={t('title')} />
        {query.isPending && <LoadingState />}
        {query.isError && <ErrorState error={query.error} retry={() => query.refetch()} />}
        {query.isSuccess && <NoTexts clientId={clientId} />}
      </>
    );
  }
  return (
    <Workbench
      clientId={clientId}
      languages={languages}
      sheet={sheet}
      state={state}
      isComplete={query.isSuccess}
      reload={query.refetch}
      isReadOnly={!can('texts')}
      isPhone={isPhone}
    />
  );
}

/** For a translator with some languages: these, and the source language. */
function languagesFor(listed: Language[], own: readonly string[] | null): Language[] {
  // The source language comes first, and stays visible.
  const all = listed.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  if (own === null) return all;
  return all.flatMap((each) => {
    if (own.includes(each.tag)) return [each];
    return each.isDefault ? [{ ...each, isLocked: true }] : [];
  });
}

function NoTexts({ clientId }: { clientId: string }) {
  const { t } = useTranslation('translations');
  return (
    <EmptyState
      icon={IconLanguage}
      title={t('empty.title')}
      action={
        <LinkButton to="/applications/$clientId/catalog" params={{ clientId }}>
          {t('empty.toCatalog')}
        </LinkButton>
      }
    >
      {t('empty.text')}
    </EmptyState>
  );
}
