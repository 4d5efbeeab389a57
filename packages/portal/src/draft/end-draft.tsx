import { Alert, Badge, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconCloudUpload, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../api/access.ts';
import { DiscardDialog } from './discard-dialog.tsx';
import classes from './draft-bar.module.css';
import { PublishDialog } from './publish-dialog.tsx';
import type { DraftState } from './queries.ts';
import { useHasUnsaved } from './unsaved.ts';

type Props = {
  clientId: string;
  draft: DraftState['draft'] | undefined;
  /** Shows the number of changes, if nothing else does. */
  withCount?: boolean;
  /** Runs first: something may be on its way to the draft. */
  settle?: () => Promise<unknown>;
  /** What is not in the draft but should be known before publishing. */
  notice?: ReactNode;
};

/** Publish and discard, the same in every room. */
export function EndDraft({ clientId, draft, withCount = false, settle, notice }: Props) {
  const { t } = useTranslation('catalog');
  const can = useCan(clientId);
  const [publishing, publish] = useDisclosure();
  const [discarding, discard] = useDisclosure();
  const isUnsaved = useHasUnsaved();
  const [waiting, setWaiting] = useState<'publish' | 'discard'>();
  if (!can('texts')) return null;
  const count = draft?.changeCount ?? 0;
  const mayDiscard = draft && (can('write') || draft.editsTextsOnly);

  const after = async (what: 'publish' | 'discard', open: () => void) => {
    if (waiting) return;
    setWaiting(what);
    await settle?.();
    setWaiting(undefined);
    open();
  };
  return (
    <>
      {mayDiscard && (
        <Button
          className={classes.action}
          variant="default"
          size="sm"
          leftSection={<IconTrash size={16} aria-hidden />}
          loading={waiting === 'discard'}
          onClick={() => void after('discard', discard.open)}
        >
          {t('bar.discard')}
        </Button>
      )}
      <Button
        className={classes.action}
        size="sm"
        leftSection={<IconCloudUpload size={16} aria-hidden />}
        rightSection={
          withCount &&
          count > 0 && (
            <Badge size="sm" circle={count < 10} variant="white" color="inn">
              {count}
            </Badge>
          )
        }
        disabled={!draft}
        loading={waiting === 'publish'}
        onClick={() => void after('publish', publish.open)}
      >
        {t('bar.publish')}
      </Button>
      <PublishDialog
        clientId={clientId}
        opened={publishing}
        onClose={publish.close}
        notice={isUnsaved ? <NotPublished>{t('publish.unsaved')}</NotPublished> : notice}
      />
      {draft && <DiscardDialog clientId={clientId} draft={draft} opened={discarding} onClose={discard.close} />}
    </>
  );
}

/** Typed input that will not be published, for the dialog. */
export function NotPublished({ children }: { children: ReactNode }) {
  return (
    <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />}>
      {children}
    </Alert>
  );
}
