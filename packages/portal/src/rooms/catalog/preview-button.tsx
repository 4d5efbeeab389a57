import { Button, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconEye } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Tree } from '../../draft/queries.ts';
import { GroupPreview } from './preview.tsx';

/** Opens a preview of the whole form. */
export function PreviewButton({ tree }: { tree: Tree }) {
  const { t } = useTranslation('catalog');
  const [opened, { open, close }] = useDisclosure();
  const groups = tree.groups.filter((group) => !group.archived);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconEye size={16} aria-hidden />}
        onClick={open}
        disabled={groups.length === 0}
      >
        {t('preview.open')}
      </Button>
      <Drawer
        opened={opened}
        onClose={close}
        position="right"
        size="lg"
        title={t('preview.open')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {opened && <GroupPreview groups={groups} languages={tree.languages} />}
      </Drawer>
    </>
  );
}
