import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { AskBeforeLeaving } from '../../draft/ask-before-leaving.tsx';
import { DraftBar } from '../../draft/draft-bar.tsx';
import { NotPublished } from '../../draft/end-draft.tsx';
import { PublishDialog } from '../../draft/publish-dialog.tsx';
import { draftQuery, treeQuery } from '../../draft/queries.ts';
import { useHasUnsaved } from '../../draft/unsaved.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { NoPermission } from '../../shell/states.tsx';
import { CatalogDesk } from './catalog-desk.tsx';
import { FirstSteps } from './first-steps.tsx';
import { PreviewButton } from './preview-button.tsx';
import { useCloseDialog } from './use-close-dialog.ts';

export function CatalogPage() {
  const { t } = useTranslation('catalog');
  const { clientId } = useParams({ from: '/frame/applications/$clientId' });
  const can = useCan(clientId);
  const {
    data: { tree, etag },
  } = useSuspenseQuery(treeQuery(clientId));
  useOthersEdits(clientId, etag);
  const [hasBegunHere] = useState(tree.languages.length === 0);
  if (!can('read')) return <NoPermission />;
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        {...(tree.languages.length > 0 && { actions: <PreviewButton tree={tree} /> })}
      />
      <DraftBar clientId={clientId} />
      <PublishLinked clientId={clientId} />
      <AskBeforeLeaving />
      {tree.languages.length === 0 ? (
        <FirstSteps clientId={clientId} tree={tree} mayEdit={can('write')} />
      ) : (
        <CatalogDesk clientId={clientId} tree={tree} mayEdit={can('write')} hasBegunHere={hasBegunHere} />
      )}
    </>
  );
}

/** The dialog, for a link or a command that asks for it. */
function PublishLinked({ clientId }: { clientId: string }) {
  const { t } = useTranslation('catalog');
  const { open } = useSearch({ from: '/frame/applications/$clientId/catalog' });
  const close = useCloseDialog(clientId);
  const isUnsaved = useHasUnsaved();
  return (
    <PublishDialog
      clientId={clientId}
      opened={open === 'publish'}
      onClose={close}
      startsWithNote
      notice={isUnsaved && <NotPublished>{t('publish.unsaved')}</NotPublished>}
    />
  );
}

/** Polls the draft: if someone else has changed it, the tree is reloaded. */
function useOthersEdits(clientId: string, etag: string): void {
  const queries = useQueryClient();
  const { data } = useQuery(draftQuery(clientId));
  const newest = data && (data.draft?.etag ?? `"${data.revision}"`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when others changed the draft, not after our own edit
  useEffect(() => {
    if (newest === undefined || newest === etag) return;
    void queries.invalidateQueries({ queryKey: treeQuery(clientId).queryKey });
  }, [newest]);
}
