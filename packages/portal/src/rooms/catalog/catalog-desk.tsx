import { ActionIcon, Button, Checkbox, Group, Paper, TextInput, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  IconArrowLeft,
  IconFoldDown,
  IconFoldUp,
  IconLanguage,
  IconListDetails,
  IconPlus,
  IconSearch,
} from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tree } from '../../draft/queries.ts';
import { useEdit, useNotifyConflict } from '../../draft/use-edit.ts';
import { MainAct } from '../../shell/main-act.tsx';
import { EmptyState } from '../../shell/states.tsx';
import { AddItem, type Adding } from './add-item.tsx';
import classes from './catalog-desk.module.css';
import { CatalogTree } from './catalog-tree.tsx';
import { editsOf } from './edits.ts';
import { GroupEditor } from './group-editor.tsx';
import { KeyEditor } from './key-editor.tsx';
import { LanguagesEditor } from './languages-editor.tsx';
import { findItem, moved, rowsOf } from './rows.ts';
import { useCloseDialog } from './use-close-dialog.ts';

/** In the URL, in place of a group or key. */
const LANGUAGES = 'languages';

type Props = {
  clientId: string;
  tree: Tree;
  mayEdit: boolean;
  /** The first step was done on this page: the next one gets the focus. */
  hasBegunHere: boolean;
};

/** The tree on one side, the selected item on the other; on a phone, one after the other. */
export function CatalogDesk({ clientId, tree, mayEdit, hasBegunHere }: Props) {
  const { t } = useTranslation('catalog');
  const { item, open } = useSearch({ from: '/frame/applications/$clientId/catalog' });
  const navigate = useNavigate();
  const closeDialog = useCloseDialog(clientId);
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false });
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState('');
  const [archived, setArchived] = useState(false);
  const [adding, setAdding] = useState<Adding>();
  const [added, setAdded] = useState<string>();
  const notifyConflict = useNotifyConflict();
  const { mutate } = useEdit(clientId);

  const deferred = useDeferredValue(search);
  const found = useMemo(() => findItem(tree, item), [tree, item]);
  const showsArchived =
    archived || (found !== undefined && (found.group.archived || (found.kind === 'key' && found.key.archived)));
  const rows = useMemo(
    () => rowsOf(tree, { closed, search: deferred, archived: showsArchived }),
    [tree, closed, deferred, showsArchived],
  );
  const edits = editsOf(clientId);
  const groupUid = found && !found.group.archived ? found.group.groupUid : undefined;
  const addingKey: Adding = { kind: 'key', groupUid };

  const select = (uid: string | undefined) =>
    void navigate({
      to: '/applications/$clientId/catalog',
      params: { clientId },
      search: uid === undefined ? {} : { item: uid },
      resetScroll: isNarrow ?? false,
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link that asks for it
  useEffect(() => {
    if (open !== 'add-group') return;
    if (mayEdit) setAdding({ kind: 'group' });
    closeDialog();
  }, [open]);
  const toggle = (groupUid: string, expanded: boolean) =>
    setClosed((held) => new Set(expanded ? [...held].filter((uid) => uid !== groupUid) : [...held, groupUid]));
  const FirstAct = hasBegunHere ? MainAct : Button;
  const isOpened = found !== undefined || item === LANGUAGES;

  return (
    <div className={classes.desk}>
      {(!isNarrow || !isOpened) && (
        <Paper withBorder p="sm" className={classes.list} component="nav" aria-label={t('tree.label')}>
          <Group gap="xs" wrap="nowrap">
            <TextInput
              size="sm"
              flex={1}
              aria-label={t('tree.search')}
              placeholder={t('tree.search')}
              leftSection={<IconSearch size={16} aria-hidden />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
            <Tooltip label={t(closed.size > 0 ? 'tree.openAll' : 'tree.closeAll')}>
              <ActionIcon
                variant="default"
                size={36}
                aria-label={t(closed.size > 0 ? 'tree.openAll' : 'tree.closeAll')}
                onClick={() => setClosed(new Set(closed.size > 0 ? [] : tree.groups.map(({ groupUid }) => groupUid)))}
              >
                {closed.size > 0 ? <IconFoldDown size={18} aria-hidden /> : <IconFoldUp size={18} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          </Group>
          <Group gap="xs">
            {mayEdit && (
              <Button
                size="xs"
                variant="light"
                leftSection={<IconPlus size={14} aria-hidden />}
                onClick={() => setAdding({ kind: 'group' })}
              >
                {t('addGroup.action')}
              </Button>
            )}
            {mayEdit && (
              <Button
                size="xs"
                variant="light"
                leftSection={<IconPlus size={14} aria-hidden />}
                onClick={() => setAdding(addingKey)}
              >
                {t('addKey.action')}
              </Button>
            )}
            <Button
              size="xs"
              variant={item === LANGUAGES ? 'filled' : 'default'}
              leftSection={<IconLanguage size={14} aria-hidden />}
              onClick={() => select(LANGUAGES)}
            >
              {t('languages.title')}
            </Button>
          </Group>
          {rows.length > 0 ? (
            <CatalogTree
              rows={rows}
              selected={item}
              mayMove={mayEdit && deferred.trim() === ''}
              onSelect={select}
              onToggle={toggle}
              onMove={(row, position) =>
                mutate(
                  {
                    edit:
                      row.kind === 'group'
                        ? edits.changeGroup(row.uid, { position })
                        : edits.changeKey(row.uid, { position }),
                    foresee: (held) => moved(held, row.uid, position),
                  },
                  { onError: notifyConflict },
                )
              }
            />
          ) : (
            <EmptyState
              icon={IconListDetails}
              title={t(search === '' ? 'tree.empty' : 'tree.notFound')}
              action={
                search === '' &&
                mayEdit && <FirstAct onClick={() => setAdding({ kind: 'group' })}>{t('addGroup.title')}</FirstAct>
              }
            >
              {search === '' && t('tree.emptyText')}
            </EmptyState>
          )}
          <Checkbox
            size="xs"
            label={t('tree.showArchived')}
            checked={showsArchived}
            onChange={(event) => setArchived(event.currentTarget.checked)}
          />
        </Paper>
      )}
      {(!isNarrow || isOpened) && (
        <div className={classes.editor}>
          {isNarrow && (
            <Button
              variant="subtle"
              mb="sm"
              px={4}
              leftSection={<IconArrowLeft size={16} aria-hidden />}
              onClick={() => select(undefined)}
            >
              {t('backToList')}
            </Button>
          )}
          {item === LANGUAGES ? (
            <LanguagesEditor clientId={clientId} tree={tree} mayEdit={mayEdit} />
          ) : found?.kind === 'key' ? (
            <KeyEditor
              key={found.key.keyUid}
              clientId={clientId}
              tree={tree}
              group={found.group}
              treeKey={found.key}
              mayEdit={mayEdit}
              isNew={found.key.keyUid === added}
            />
          ) : found?.kind === 'group' ? (
            <GroupEditor
              key={found.group.groupUid}
              clientId={clientId}
              tree={tree}
              group={found.group}
              mayEdit={mayEdit}
              onAddKey={() => setAdding(addingKey)}
            />
          ) : item !== undefined ? (
            <EmptyState icon={IconListDetails} title={t('notThere')}>
              {t('notThereText')}
            </EmptyState>
          ) : (
            tree.groups.length > 0 && (
              <EmptyState icon={IconListDetails} title={t('choose')}>
                {t('chooseText')}
              </EmptyState>
            )
          )}
        </div>
      )}
      <AddItem
        clientId={clientId}
        adding={adding}
        tree={tree}
        onAdded={(uid) => {
          select(uid);
          if (adding?.kind === 'group') return setAdding({ kind: 'key', groupUid: uid });
          setAdded(uid);
        }}
        onAddGroup={() => setAdding({ kind: 'group' })}
        onClose={() => setAdding(undefined)}
      />
    </div>
  );
}
