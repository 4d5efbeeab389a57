import { ActionIcon, Button, Checkbox, Modal, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconListCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyDraft } from '../../draft/notify-draft.ts';
import type { TreeGroup, TreeLanguage } from '../../draft/queries.ts';
import { useEdit, useNotifyConflict } from '../../draft/use-edit.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { editsOf } from './edits.ts';
import { defaultOf, labelIn } from './texts.ts';

type Props = { clientId: string; group: TreeGroup; languages: readonly TreeLanguage[] };

/** Archives several keys of a group: each is an edit of the draft, which can be undone. */
export function ArchiveSeveral({ clientId, group, languages }: Props) {
  const { t } = useTranslation('catalog');
  const [opened, { open, close }] = useDisclosure();
  const name = t('archive.several');
  return (
    <>
      <Tooltip label={name}>
        <ActionIcon variant="subtle" color="gray" aria-label={name} onClick={open}>
          <IconListCheck size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Modal opened={opened} onClose={close} title={name} closeButtonProps={{ 'aria-label': t('close') }}>
        {opened && <Choice {...{ clientId, group, languages }} onClose={close} />}
      </Modal>
    </>
  );
}

function Choice({ clientId, group, languages, onClose }: Props & { onClose(): void }) {
  const { t } = useTranslation('catalog');
  const notifyConflict = useNotifyConflict();
  const { mutateAsync } = useEdit(clientId);
  const [chosen, setChosen] = useState<string[]>([]);
  const [done, setDone] = useState<number>();
  // Closing the dialog stops the run; what is archived by then can be undone.
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const keys = group.keys.filter(({ archived }) => !archived);
  const archive = async () => {
    let count = 0;
    try {
      setDone(0);
      for (const uid of chosen) {
        if (isClosed.current) break;
        await mutateAsync({ edit: editsOf(clientId).archiveKey(uid) });
        setDone(++count);
      }
    } catch (error) {
      notifyConflict(error);
    }
    if (count > 0) notifyDraft(t('archive.severalDone', { count }));
    if (!isClosed.current) onClose();
  };
  return (
    <Stack>
      <Text size="sm">{t('archive.textKey')}</Text>
      <Checkbox
        label={t('archive.all')}
        checked={chosen.length === keys.length}
        indeterminate={chosen.length > 0 && chosen.length < keys.length}
        onChange={() => setChosen(chosen.length < keys.length ? keys.map(({ keyUid }) => keyUid) : [])}
      />
      <Checkbox.Group value={chosen} onChange={setChosen} aria-label={t('archive.several')}>
        <Stack gap="xs">
          {keys.map((key) => (
            <Checkbox
              key={key.keyUid}
              value={key.keyUid}
              label={labelIn(key, defaultOf(languages), languages)}
              description={key.name}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {done !== undefined && <Progress value={(done / chosen.length) * 100} aria-label={t('archive.several')} />}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button color="red" disabled={chosen.length === 0} loading={done !== undefined} onClick={() => void archive()}>
          {t('archive.count', { count: chosen.length })}
        </Button>
      </DialogActions>
    </Stack>
  );
}
