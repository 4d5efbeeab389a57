import { Button, FileInput, Modal, Progress, Radio, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toCsv } from '../../shell/csv.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { download } from '../../shell/download.ts';
import { Problem } from '../../shell/states.tsx';
import { IF_THERE, type IfThere, type ImportState, importFile } from './import-file.ts';

/** The rest is in the file. */
const SHOWN = 20;
const COUNTS = [
  'created',
  'adopted',
  'updated',
  'unchanged',
  'skipped',
  'keptNewer',
  'deletedSince',
  'rejected',
] as const;

export function ImportUsers({ clientId }: { clientId: string }) {
  const { t } = useTranslation('users');
  const { t: shell } = useTranslation();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} onClick={open}>
        {t('import.action')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t('import.title')}
        size="lg"
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': shell('close') }}
      >
        {opened && <Import clientId={clientId} onClose={close} />}
      </Modal>
    </>
  );
}

function Import({ clientId, onClose }: { clientId: string; onClose(): void }) {
  const { t } = useTranslation('users');
  const { t: shell } = useTranslation();
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [ifThere, setIfThere] = useState<IfThere>('compare');
  const [state, setState] = useState<ImportState>();
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const importing = useMutation({
    mutationFn: async (chosen: File) => {
      control.current = new AbortController();
      const { signal } = control.current;
      setState(undefined);
      setState(await importFile(clientId, chosen, { ifThere, signal, onProgress: setState }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['application', clientId] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file) importing.mutate(file);
  };
  const wasCancelled = importing.isError && control.current?.signal.aborted === true;
  const isNotText = importing.error instanceof TypeError && importing.error.message.includes('decode');
  return (
    <form onSubmit={submit}>
      <Stack>
        {!importing.isSuccess && (
          <>
            <FileInput
              required
              data-autofocus
              label={t('import.file')}
              description={t('import.hint')}
              placeholder={t('import.choose')}
              accept=".ndjson,.jsonl,.json,application/x-ndjson"
              value={file}
              onChange={setFile}
              disabled={importing.isPending}
            />
            <Radio.Group label={t('import.ifThere')} value={ifThere} onChange={(value) => setIfThere(value)}>
              <Stack gap="xs" mt="xs">
                {IF_THERE.map((each) => (
                  <Radio key={each} value={each} label={t(`import.${each}`)} disabled={importing.isPending} />
                ))}
              </Stack>
            </Radio.Group>
          </>
        )}
        {importing.isPending && (
          <Progress value={(state?.share ?? 0) * 100} animated aria-label={t('import.progress')} />
        )}
        {state && <Result state={state} />}
        {wasCancelled && <Text size="sm">{t('import.cancelled')}</Text>}
        {isNotText ? <Text c="red">{t('import.notText')}</Text> : !wasCancelled && <Problem error={importing.error} />}
        <DialogActions>
          <Button
            variant="default"
            onClick={() => (importing.isPending ? control.current?.abort() : onClose())}
            {...(importing.isSuccess && { 'data-autofocus': true })}
          >
            {importing.isSuccess ? shell('close') : shell('cancel')}
          </Button>
          {!importing.isSuccess && (
            <Button type="submit" loading={importing.isPending} disabled={file === null}>
              {t('import.submit')}
            </Button>
          )}
        </DialogActions>
      </Stack>
    </form>
  );
}

function Result({ state: { counts, rejections } }: { state: ImportState }) {
  const { t } = useTranslation('users');
  const shown = COUNTS.filter((name) => (counts[name] ?? 0) > 0 || name === 'created');
  const save = () => {
    const rows = rejections.map(({ line, clientUserId, code, reason }) => [line, clientUserId, code, reason]);
    download('rejected.csv', 'text/csv', toCsv([['line', 'clientUserId', 'code', 'reason'], ...rows]));
  };
  return (
    <Stack gap="xs">
      <Text role="status">
        {shown.map((name) => t(`import.count.${name}`, { count: counts[name] ?? 0 })).join(' · ')}
      </Text>
      {rejections.length > 0 && (
        <>
          <Table.ScrollContainer minWidth={300} mah={280} type="native">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('import.line')}</Table.Th>
                  <Table.Th>{t('clientUserId')}</Table.Th>
                  <Table.Th>{t('import.reason')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rejections.slice(0, SHOWN).map(({ line, clientUserId, reason }) => (
                  <Table.Tr key={line}>
                    <Table.Td>{line}</Table.Td>
                    <Table.Td>{clientUserId}</Table.Td>
                    <Table.Td>{reason}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          <Button variant="light" onClick={save}>
            {t('import.rejected')}
          </Button>
        </>
      )}
    </Stack>
  );
}
