import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert, Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFileUpload, IconInfoCircle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, memo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { MainAct } from '../../shell/main-act.tsx';
import { Problem } from '../../shell/states.tsx';
import { useOnce } from '../../shell/use-once.ts';
import { ImportPreview, type PreviewedText, type TextsPreview } from './import-preview.tsx';
import type { Sheet } from './sheet.ts';
import type { Language } from './text-row.ts';
import classes from './workbench.module.css';

const PATH = '/manage/v1/applications/{clientId}/catalog/translations';

type SentFile = { file: string; name: string };

type Props = {
  opened: boolean;
  onClose: () => void;
  clientId: string;
  languages: readonly Language[];
  sheet: Sheet;
  reload: () => Promise<unknown>;
};

/** A file from a translator: first shows what it would change, then imports what is chosen. */
export const ImportDialog = memo(function ImportDialog(props: Props) {
  const { opened, onClose, clientId, languages, sheet, reload } = props;
  const { t } = useTranslation('translations');
  const [isOver, setOver] = useState(false);
  const resetFile = useRef<() => void>(null);

  const preview = useMutation({
    mutationFn: async (sent: SentFile): Promise<{ sent: SentFile; etag: string; found: TextsPreview }> => {
      // Texts still being saved would look like changes by someone else.
      await sheet.settled();
      const { data, etag = '*' } = await api.post(`${PATH}/preview`, {
        path: { clientId },
        query: { draft: true },
        body: sent,
      });
      return { sent, etag, found: data };
    },
  });

  const take = useMutation({
    mutationFn: async (texts: readonly PreviewedText[]) => {
      if (!preview.data) return 0;
      const { sent, etag } = preview.data;
      const chosen = texts.map(({ path, language }) => ({ path, language }));
      await api.post(`${PATH}/import`, {
        path: { clientId },
        query: { draft: true },
        ifMatch: etag,
        body: { ...sent, take: chosen },
      });
      sheet.record({
        kind: 'import',
        changes: texts.flatMap(({ path, language, before, text }) => {
          const row = sheet.rowAt(path);
          return row ? [{ id: row.id, tag: language, from: before, to: text }] : [];
        }),
      });
      await reload();
      return texts.length;
    },
    onSuccess(count) {
      notifications.show({ message: t('import.done', { count }), color: 'inn' });
      close();
    },
    onError(error) {
      // Someone else was faster: compare the same file with the current texts.
      if (isInnkeeperError(error) && error.status === 412 && preview.data) preview.mutate(preview.data.sent);
    },
  });

  // Errors are shown below.
  const takeOnce = useOnce((texts: readonly PreviewedText[]) => take.mutateAsync(texts).catch(() => undefined));

  const close = () => {
    onClose();
    preview.reset();
    take.reset();
  };
  const read = async (file: File | null | undefined) => {
    if (!file) return;
    // The same file can be chosen again.
    resetFile.current?.();
    take.reset();
    preview.mutate({ file: await file.text(), name: file.name });
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  };
  const wasLate = isInnkeeperError(take.error) && take.error.status === 412;

  return (
    <Modal
      closeButtonProps={{ 'aria-label': t('close') }}
      opened={opened}
      onClose={close}
      title={t('import.title')}
      size="xl"
    >
      <Stack>
        {!preview.data && (
          <Stack
            className={classes.drop}
            align="center"
            data-over={isOver || undefined}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={onDrop}
          >
            <IconFileUpload size={32} stroke={1.4} aria-hidden />
            <Text size="sm">{t('import.hint')}</Text>
            <FileButton
              resetRef={resetFile}
              accept=".csv,.xlf,.xliff,.xml,text/csv,application/xliff+xml"
              onChange={(file) => void read(file)}
            >
              {(button) => (
                <MainAct {...button} loading={preview.isPending}>
                  {t('import.choose')}
                </MainAct>
              )}
            </FileButton>
          </Stack>
        )}
        <Problem error={preview.error} />
        {wasLate ? (
          <Alert color="yellow" icon={<IconInfoCircle aria-hidden />} role="alert">
            {t('import.late')}
          </Alert>
        ) : (
          <Problem error={take.error} />
        )}
        {preview.data && (
          <ImportPreview
            key={preview.data.etag}
            fileName={preview.data.sent.name}
            found={preview.data.found}
            languages={languages}
            isTaking={take.isPending}
            onTake={(texts) => void takeOnce(texts)}
            actions={
              <Button variant="default" onClick={() => preview.reset()}>
                {t('import.another')}
              </Button>
            }
          />
        )}
        {!preview.data && (
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
});
