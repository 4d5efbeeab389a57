import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { changedMembers } from '../../shell/changed-members.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { notifyProblem, notifyUndoable } from '../../shell/notify.tsx';
import { fieldText, problemText } from '../../shell/problem-text.ts';
import { useMutateOnce } from '../../shell/use-once.ts';

type Change = { clientUserName?: string; clientUserId?: string; status?: 'active' | 'suspended' };

const USER = '/manage/v1/applications/{clientId}/users/{userUid}';

function useChangeUser(clientId: string, userUid: string) {
  const queries = useQueryClient();
  return async (body: Change) => {
    await api.patch(USER, { path: { clientId, userUid }, body });
    await queries.invalidateQueries({ queryKey: ['application', clientId, 'users'] });
  };
}

/** Suspends an active user or resumes a suspended one; can be undone. */
export function useUserStatus(clientId: string, userUid: string, status: 'active' | 'suspended') {
  const { t } = useTranslation('users');
  const change = useChangeUser(clientId, userUid);
  const next = status === 'active' ? 'suspended' : 'active';
  const changing = useMutation({
    mutationFn: () => change({ status: next }),
    onSuccess: () => {
      notifyUndoable({
        message: next === 'suspended' ? t('status.suspendDone') : t('status.resumeDone'),
        undo: () => change({ status }).catch(notifyProblem),
      });
    },
    onError: notifyProblem,
  });
  return { toggle: useMutateOnce(changing), isPending: changing.isPending };
}

type RenameProps = { clientId: string; userUid: string; name: string; id: string; onClose(): void };

export function RenameUser({ clientId, userUid, name, id, onClose }: RenameProps) {
  const { t } = useTranslation('users');
  // As it was when the dialog opened.
  const [before] = useState({ clientUserName: name, clientUserId: id });
  const [typed, setTyped] = useState(before);
  const change = useChangeUser(clientId, userUid);
  const renaming = useMutation({ mutationFn: () => change(changedMembers(before, typed)), onSuccess: onClose });
  const renameOnce = useMutateOnce(renaming);
  const { error } = renaming;
  const isAtField = isInnkeeperError(error) && error.errors.length > 0;
  const field = (member: keyof typeof typed) => ({
    value: typed[member],
    maxLength: 255,
    error: fieldText(error, member),
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget;
      setTyped((before) => ({ ...before, [member]: value }));
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('rename.title')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          renameOnce();
        }}
      >
        <Stack>
          <TextInput label={t('rename.name')} data-autofocus {...field('clientUserName')} />
          <TextInput
            label={t('clientUserId')}
            description={t('rename.idHint')}
            {...field('clientUserId')}
            {...(error && !isAtField && { error: problemText(error) })}
          />
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {t('cancel', { ns: 'shell' })}
            </Button>
            <Button type="submit" loading={renaming.isPending}>
              {t('save', { ns: 'shell' })}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  );
}
