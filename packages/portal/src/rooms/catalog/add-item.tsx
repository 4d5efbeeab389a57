import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TreeGroup, TreeLanguage } from '../../draft/queries.ts';
import { isConflict, useEdit } from '../../draft/use-edit.ts';
import { Problem } from '../../shell/states.tsx';
import { editsOf } from './edits.ts';
import type { KeyForm } from './key-form.ts';
import { defaultOf, nameFrom } from './texts.ts';

/** What is to be added: a group, or a key to a group. */
export type Adding = { kind: 'group' } | { kind: 'key'; group: TreeGroup };

type Props = {
  clientId: string;
  adding: Adding | undefined;
  languages: readonly TreeLanguage[];
  onAdded(uid: string): void;
  onClose(): void;
};

/** What people call it, and from that a name for programs. The rest is set where it then stands. */
export function AddItem({ adding, onClose, ...props }: Props) {
  const { t } = useTranslation('catalog');
  return (
    <Modal
      opened={adding !== undefined}
      onClose={onClose}
      title={adding && t(adding.kind === 'group' ? 'addGroup.title' : 'addKey.title')}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {adding && <AddForm adding={adding} onClose={onClose} {...props} />}
    </Modal>
  );
}

function AddForm({ clientId, adding, languages, onAdded, onClose }: Props & { adding: Adding }) {
  const { t } = useTranslation('catalog');
  const [label, setLabel] = useState('');
  const [typed, setTyped] = useState<string>();
  const [type, setType] = useState<KeyForm['type']>('boolean');
  const edit = useEdit<{ groupUid?: string; keyUid?: string }>(clientId);
  const byDefault = defaultOf(languages);
  const name = typed ?? nameFrom(label);
  const edits = editsOf(clientId);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const translations = byDefault && label.trim() !== '' ? { [byDefault.name]: label.trim() } : undefined;
    const texts = translations && { translations };
    const wanted =
      adding.kind === 'group'
        ? edits.addGroup({ name: name.trim(), ...texts })
        : edits.addKey(adding.group.groupUid, { name: name.trim(), type: type as 'boolean', ...texts });
    // Something new is in nobody's way: whatever others did meanwhile, it is added to that.
    const made = await edit
      .mutateAsync({ edit: wanted })
      .catch((error) => (isConflict(error) ? edit.mutateAsync({ edit: () => wanted('*') }) : undefined))
      .catch(() => undefined);
    const uid = made?.groupUid ?? made?.keyUid;
    if (uid === undefined) return;
    onClose();
    onAdded(adding.kind === 'key' ? (made?.keyUid ?? uid) : uid);
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput
          data-autofocus
          label={byDefault ? t('add.labelIn', { language: byDefault.name }) : t('add.label')}
          description={t('add.labelHint')}
          lang={byDefault?.tag}
          maxLength={2000}
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <TextInput
          label={t('name')}
          description={t('add.nameHint')}
          required
          maxLength={255}
          spellCheck={false}
          value={name}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {adding.kind === 'key' && (
          <Select
            label={t('key.type')}
            allowDeselect={false}
            data={(['boolean', 'string', 'integer', 'number', 'date'] as const).map((value) => ({
              value,
              label: t(`type.${value}`),
            }))}
            value={type}
            onChange={(value) => value && setType(value as KeyForm['type'])}
          />
        )}
        <Problem error={edit.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" disabled={name.trim() === ''} loading={edit.isPending}>
            {t('add.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
