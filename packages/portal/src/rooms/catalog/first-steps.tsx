import { Paper } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Tree } from '../../draft/queries.ts';
import { EmptyState } from '../../shell/states.tsx';
import { LanguagesEditor } from './languages-editor.tsx';

/** For an application without a catalog: it begins with its languages. */
export function FirstSteps({ clientId, tree, mayEdit }: { clientId: string; tree: Tree; mayEdit: boolean }) {
  const { t } = useTranslation('catalog');
  if (!mayEdit) {
    return (
      <EmptyState icon={IconListDetails} title={t('first.nothing')}>
        {t('first.nothingText')}
      </EmptyState>
    );
  }
  return (
    <Paper withBorder p="lg" maw={760}>
      <LanguagesEditor clientId={clientId} tree={tree} mayEdit isFirst />
    </Paper>
  );
}
