import { Button, Stack } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { DraftBar } from '../../draft/draft-bar.tsx';
import { LinkButton } from '../../shell/links.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { EmptyState } from '../../shell/states.tsx';
import { Comparison } from './comparison.tsx';
import { revisionsQuery } from './queries.ts';
import { RevisionCard } from './revision-card.tsx';
import { RevisionDetail } from './revision-detail.tsx';

export function RevisionsPage() {
  const { t } = useTranslation('revisions');
  const { clientId } = useParams({ from: '/frame/applications/$clientId' });
  const { revision, from, to } = useSearch({ from: '/frame/applications/$clientId/revisions' });
  const can = useCan(clientId);
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(revisionsQuery(clientId));
  const revisions = data.pages.flatMap(({ items }) => items);
  const newest = revisions[0]?.revision ?? 0;
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          newest > 1 && (
            <LinkButton
              variant="default"
              to="/applications/$clientId/revisions"
              params={{ clientId }}
              search={{ from: newest - 1, to: newest }}
            >
              {t('compare.open')}
            </LinkButton>
          )
        }
      />
      <DraftBar clientId={clientId} />
      {newest === 0 ? (
        <EmptyState
          icon={IconHistory}
          title={t('empty')}
          action={
            <LinkButton to="/applications/$clientId/catalog" params={{ clientId }}>
              {t('toCatalog')}
            </LinkButton>
          }
        >
          {t('emptyText')}
        </EmptyState>
      ) : from !== undefined && to !== undefined ? (
        <Comparison clientId={clientId} from={from} to={to} newest={newest} />
      ) : revision !== undefined ? (
        <RevisionDetail clientId={clientId} revision={revision} newest={newest} mayRestore={can('write')} />
      ) : (
        <Stack gap="sm">
          <Stack component="ol" p={0} m={0} gap="sm" style={{ listStyle: 'none' }}>
            {revisions.map((each) => (
              <RevisionCard
                key={each.revision}
                clientId={clientId}
                revision={each}
                newest={newest}
                mayRestore={can('write')}
              />
            ))}
          </Stack>
          {hasNextPage && (
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('older')}
            </Button>
          )}
        </Stack>
      )}
    </>
  );
}
