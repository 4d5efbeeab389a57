import { ActionIcon, Button, Group, Menu, Tooltip } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowDown,
  IconArrowUp,
  IconCopyPlus,
  IconFolderSymlink,
  IconLink,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyDraft } from '../../draft/notify-draft.ts';
import type { Tree, TreeGroup } from '../../draft/queries.ts';
import { type Edit, useEdit, useNotifyConflict } from '../../draft/use-edit.ts';
import { Copy } from '../../shell/copy.tsx';
import { useOnce } from '../../shell/use-once.ts';
import { ArchiveSeveral } from './archive-several.tsx';
import { copyOfGroup, copyOfKey, nameOfCopy } from './duplicate.ts';
import { editsOf } from './edits.ts';
import { findItem, moved } from './rows.ts';
import { defaultOf, labelIn } from './texts.ts';

type Made = { groupUid?: string; keyUid?: string };
type Props = { clientId: string; tree: Tree; uid: string; mayEdit: boolean; children?: ReactNode };

/** Actions on a group or key as a whole. */
export function ItemActions({ clientId, tree, uid, mayEdit, children }: Props) {
  const { t } = useTranslation('catalog');
  const notifyConflict = useNotifyConflict();
  const { mutate, mutateAsync, isPending } = useEdit(clientId);
  const editOnce = useOnce((edit: Edit<unknown>) => mutateAsync({ edit }).then(() => true, notifyConflict));
  const addOnce = useOnce((edit: Edit<Made>) => mutateAsync({ edit }).then((made) => made as Made, notifyConflict));
  const navigate = useNavigate({ from: '/applications/$clientId/catalog' });
  const edits = editsOf(clientId);
  const found = findItem(tree, uid);
  if (!found) return null;
  const item = found.kind === 'group' ? found.group : found.key;
  const siblings = (found.kind === 'group' ? tree.groups : found.group.keys).filter((each) => !each.archived);
  const index = siblings.indexOf(item);
  const label = labelIn(item, defaultOf(tree.languages), tree.languages);
  const change = (body: Record<string, unknown>) =>
    found.kind === 'group' ? edits.changeGroup(uid, body) : edits.changeKey(uid, body);

  const move = (position: number) =>
    mutate({ edit: change({ position }), foresee: (held) => moved(held, uid, position) }, { onError: notifyConflict });
  const otherGroups = tree.groups.filter(({ archived, groupUid }) => !archived && groupUid !== found.group.groupUid);
  // The key keeps its UID, and users keep their selections.
  const moveTo = async (group: TreeGroup) => {
    const isDone = await editOnce(edits.changeKey(uid, { groupUid: group.groupUid }));
    const where = labelIn(group, defaultOf(tree.languages), tree.languages);
    if (isDone) notifyDraft(t('movedToGroup', { what: label, where }));
  };
  const duplicate = async () => {
    const name = nameOfCopy(item.name, found.kind === 'group' ? tree.groups : found.group.keys);
    const edit: Edit<Made> =
      found.kind === 'group'
        ? edits.addGroup(copyOfGroup(found.group, name))
        : edits.addKey(found.group.groupUid, copyOfKey(found.key, name) as Parameters<typeof edits.addKey>[1]);
    const made = await addOnce(edit);
    if (!made) return;
    notifyDraft(t('duplicate.done', { what: label, name }));
    const to = made.keyUid ?? made.groupUid;
    await navigate({ search: to === undefined ? {} : { item: to } });
  };
  const archive = async () => {
    const isDone = await editOnce(found.kind === 'group' ? edits.archiveGroup(uid) : edits.archiveKey(uid));
    if (isDone) notifyDraft(t('archive.done', { what: label }));
  };
  const askToArchive = () =>
    modals.openConfirmModal({
      title: t('archive.title', { what: label }),
      children: t(found.kind === 'group' ? 'archive.textGroup' : 'archive.textKey'),
      labels: { confirm: t('archive.action'), cancel: t('cancel') },
      confirmProps: { color: 'red' },
      closeButtonProps: { 'aria-label': t('close') },
      onConfirm: () => void archive(),
    });
  const address = `${window.location.origin}${window.location.pathname}?item=${uid}`;

  return (
    <Group gap={4}>
      {children}
      <Copy value={address} label={t('copyLink')} icon={IconLink} />
      {mayEdit && !item.archived && (
        <>
          <Tooltip label={t('moveUp')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('moveUp')}
              disabled={index <= 0}
              onClick={() => move(index - 1)}
            >
              <IconArrowUp size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('moveDown')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('moveDown')}
              disabled={index === siblings.length - 1}
              onClick={() => move(index + 1)}
            >
              <IconArrowDown size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
          {found.kind === 'key' && otherGroups.length > 0 && (
            <Menu position="bottom-end" withinPortal>
              <Menu.Target>
                <Tooltip label={t('moveToGroup')}>
                  <ActionIcon variant="subtle" color="gray" aria-label={t('moveToGroup')}>
                    <IconFolderSymlink size={18} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              </Menu.Target>
              <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
                <Menu.Label>{t('moveToGroup')}</Menu.Label>
                {otherGroups.map((group) => (
                  <Menu.Item key={group.groupUid} onClick={() => void moveTo(group)}>
                    {labelIn(group, defaultOf(tree.languages), tree.languages)}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
          <Tooltip label={t('duplicate.action')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('duplicate.action')}
              onClick={() => void duplicate()}
            >
              <IconCopyPlus size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
          {found.kind === 'group' && found.group.keys.some(({ archived }) => !archived) && (
            <ArchiveSeveral clientId={clientId} group={found.group} languages={tree.languages} />
          )}
          <Tooltip label={t('archive.action')}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('archive.action')}
              loading={isPending}
              onClick={askToArchive}
            >
              <IconArchive size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </>
      )}
      {mayEdit && item.archived && !(found.kind === 'key' && found.group.archived) && (
        <Button
          size="xs"
          variant="light"
          loading={isPending}
          leftSection={<IconArchiveOff size={16} aria-hidden />}
          onClick={() => void editOnce(change({ archived: false }))}
        >
          {t('bringBack')}
        </Button>
      )}
    </Group>
  );
}
