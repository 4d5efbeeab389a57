import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { DraftBar } from '../../draft/draft-bar.tsx';
import { treeQuery } from '../../draft/queries.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { NoPermission } from '../../shell/states.tsx';
import { CatalogDesk } from './catalog-desk.tsx';
import { FirstSteps } from './first-steps.tsx';
import { PreviewButton } from './preview-button.tsx';

export function CatalogPage() {
  const { t } = useTranslation('catalog');
  const { clientId } = useParams({ from: '/frame/applications/$clientId' });
  const can = useCan(clientId);
  const {
    data: { tree },
  } = useSuspenseQuery(treeQuery(clientId));
  if (!can('read')) return <NoPermission />;
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        {...(tree.languages.length > 0 && { actions: <PreviewButton tree={tree} /> })}
      />
      <DraftBar clientId={clientId} />
      {tree.languages.length === 0 ? (
        <FirstSteps clientId={clientId} tree={tree} mayEdit={can('write')} />
      ) : (
        <CatalogDesk clientId={clientId} tree={tree} mayEdit={can('write')} />
      )}
    </>
  );
}
